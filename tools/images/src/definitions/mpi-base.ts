import type { ImageDefinition } from '../image-definition.ts';
import { bookworm } from './bookworm.ts';

/**
 * The common part of images for MPI jobs, for every MPI: ssh in both directions, an unprivileged user, and Python with numpy. Debian 12,
 * whose Open MPI is of the 4.1 series that most MPIJobs are written for.
 *
 * Hosts are pods, whose keys belong to the job or the image, so checking host keys has no use: the client trusts any host. The server does
 * not check who owns the mounted keys, because files of a Secret belong to root. Both use port 2222, which needs no privileges. There are
 * no passwords, so PAM is off.
 *
 * A launcher may start before its workers, and before their names resolve: mpirun then fails, and MPICH's before 4.3 waits forever. So the
 * entry point waits first. `args` of a manifest keep it; `command` replaces it.
 *
 * Root's server needs the folder /run/sshd. Unprivileged users start theirs with `-f /home/mpiuser/.sshd_config`.
 */
export const mpiBase: ImageDefinition = {
  name: 'mpi-base',
  version: '12',
  parent: bookworm,
  layer: {
    kind: 'packages',
    packages: ['openssh-client', 'openssh-server', 'python3', 'python3-numpy'],
    exclude: ['*.a', '/usr/lib/python3/dist-packages/numpy/core/include/*'],
    script: `
mkdir -p /run/sshd
cat > /etc/ssh/ssh_config.d/mpi.conf <<'END'
Host *
    Port 2222
    StrictHostKeyChecking no
    UserKnownHostsFile /dev/null
    LogLevel ERROR
END
cat > /etc/ssh/sshd_config.d/mpi.conf <<'END'
Port 2222
StrictModes no
UsePAM no
END
cat > /usr/local/bin/await-hosts <<'END'
#!/bin/sh
# Starts the program of a launcher once it can log in on all its hosts, and any other program at once.
if [ "$K_MPI_JOB_ROLE" = launcher ] && [ -r /etc/mpi/hostfile ]; then
  for host in $(sed 's/[:# ].*//' /etc/mpi/hostfile); do
    [ "\${host%%.*}" = "$(hostname)" ] && continue
    tries=0
    until complaint=$(ssh -o ConnectTimeout=5 "$host" true 2>&1); do
      tries=$((tries + 1))
      [ $((tries % 10)) = 0 ] && echo "waiting for $host: $complaint" >&2
      sleep 1
    done
  done
fi
exec "$@"
END
chmod 755 /usr/local/bin/await-hosts
useradd --create-home --uid 1000 --shell /bin/bash --password '*' mpiuser
cat > /home/mpiuser/.sshd_config <<'END'
Port 2222
HostKey /home/mpiuser/.ssh/id_rsa
PidFile /home/mpiuser/sshd.pid
StrictModes no
END
find /usr/lib/python3/dist-packages -type d -name tests -prune -exec rm -rf {} +
ln -sf python3 /usr/bin/python
/usr/sbin/sshd -t
python3 -c 'import numpy; assert (numpy.ones((2, 2)) @ numpy.ones(2)).sum() == 4'
`,
  },
  defaults: { env: { PYTHONUNBUFFERED: '1' }, entrypoint: ['/usr/local/bin/await-hosts'] },
};

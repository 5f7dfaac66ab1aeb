import type { DebianLayer } from '../image-definition.ts';

/**
 * A minimal Debian release with apt. The dpkg settings stay in the image, so that packages of child images omit documentation and
 * translations as well.
 */
export function minimalDebian(suite: string): DebianLayer {
  return {
    kind: 'debian',
    suite,
    script: `
cat > /etc/dpkg/dpkg.cfg.d/muster <<'END'
force-unsafe-io
path-exclude=/usr/share/doc/*
path-include=/usr/share/doc/*/copyright
path-exclude=/usr/share/man/*
path-exclude=/usr/share/info/*
path-exclude=/usr/share/locale/*
path-exclude=/usr/share/lintian/*
END
find /usr/share/doc -type f ! -name copyright -delete
find /usr/share/doc -type l ! -name copyright -delete
find /usr/share/doc -mindepth 1 -type d -empty -delete
rm -rf /usr/share/man/* /usr/share/info/* /usr/share/locale/* /usr/share/lintian/*
rm -rf /var/cache/apt/* /var/lib/apt/lists/* /var/cache/debconf/*-old /var/lib/dpkg/*-old /var/log/*.log /var/log/apt/*
rm -f /etc/apt/sources.list.d/* && : > /etc/apt/sources.list
: > /etc/resolv.conf
: > /etc/hostname
`,
  };
}

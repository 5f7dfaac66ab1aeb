import { testCluster } from '@muster/testing';
import { describeAdmission } from '../test-support/describe-admission.ts';
import { MPI_V1_ADMISSION } from '../test/mpi-v1-cases.ts';
import { MPI_V1ALPHA1_ADMISSION } from '../test/mpi-v1alpha1-cases.ts';
import { MPI_V2BETA1_ADMISSION } from '../test/mpi-v2beta1-cases.ts';

const cluster = await testCluster();

describeAdmission(MPI_V2BETA1_ADMISSION, cluster);
describeAdmission(MPI_V1_ADMISSION, cluster);
describeAdmission(MPI_V1ALPHA1_ADMISSION, cluster);

import { DIFFERENCES_OF_EVERY_KIND, documented } from '@muster/shadow';

const PAGE = 'xgboostjob';

export const XGBOOST_DIFFERENCES = [
  documented(
    PAGE,
    'the master succeeds and a worker fails',
    /^end$/,
    ({ theirs, ours }) => theirs === 'Failed' && ours === 'Succeeded',
  ),
  documented(
    PAGE,
    'a replica of OnFailure or Always that fails as a whole pod (eviction, lost node)',
    /^end$/,
    ({ theirs, ours }, { spec }) =>
      theirs === 'Failed' && ours !== 'Failed' && /"(?:OnFailure|Always)"/.test(JSON.stringify(spec)),
  ),
  ...DIFFERENCES_OF_EVERY_KIND,
];

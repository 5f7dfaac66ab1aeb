/** XGBoostJob: the environment of its pods, and when the job has succeeded or failed. */
export { xgboostAdapter } from './xgboost-adapter.ts';

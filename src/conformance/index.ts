export type { ReadAttachment } from './har.js'
export { checkConformance } from './live.js'
export {
  ConformanceError,
  type ConformanceErrorCode,
  type ConformanceOptions,
  type ConformanceProgress,
  type Depth,
  type TimeSource,
} from './options.js'
export { applyBaseline, updateBaseline } from './report/baseline.js'
export type * from './report/types.js'
export { checkTraffic, type TrafficOptions } from './traffic.js'

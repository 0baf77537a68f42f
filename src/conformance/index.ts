export type * from '../internal/report.js'
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
export type { RecordingOptions } from './recorded/read.js'
export type { Replacement } from './recorded/replacer.js'
export { type RecordedWorld, type WorldFromTraffic, worldFromTraffic } from './recorded/world.js'
export { applyBaseline, updateBaseline } from './report/baseline.js'
export { checkTraffic, type TrafficOptions } from './traffic.js'

export type { OperationMethods } from '../generated/client.js'
export {
  type OperationId,
  type PlanId,
  plans,
  queryDefaults,
  type ReleaseDate,
  releases,
} from '../generated/operations.js'
export type * from '../generated/types.js'
export {
  ApiError,
  type ApiErrorDetails,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  type StatusError,
} from './client/api-errors.js'
export {
  ConnectionError,
  ContractError,
  ContractMismatchError,
  isContractError,
  PaginationError,
  RedirectError,
  ResponseParseError,
  RunFailedError,
  RunTimeoutError,
  TimeoutError,
} from './client/errors.js'
export type {
  CallEvent,
  Hooks,
  OnUnknownStatus,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  WaitEvent,
} from './client/hooks.js'
export { type Client, createClient } from './client/index.js'
export type { ApiKey } from './client/layers/authenticate.js'
export { type CacheEntry, type CacheStore, createMemoryCache } from './client/layers/cache-store.js'
export type {
  HeadersOptions,
  Middleware,
  ParseAs,
  PathMethods,
  PathResult,
  RequestExtras,
  UnknownCode,
} from './client/openapi-fetch.js'
export type { CallOptions, ClientOptions, PollingOptions, RetryOptions, Validation } from './client/options.js'
export type { PagedOperation, PageItem, PageQuery, Paginate } from './client/pages.js'
export type { RunMethods, WaitForRunOptions, WatchOptions } from './client/runs/index.js'
export * from './client/runs/statuses.js'
export type { PlanName } from './client/throttle/plan.js'
export { type AcquireOptions, createRateLimiter, type RateLimiter } from './client/throttle/rate-limiter.js'
export type { Fetch } from './client/transport.js'
export type { Clock } from './internal/time.js'
export type { Limit } from './internal/token-bucket.js'

export type { OperationMethods } from '../generated/client.js'
export { type OperationId, type PlanId, plans, type ReleaseDate, releases } from '../generated/operations.js'
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
} from './client/api-errors.js'
export type { ApiKey } from './client/auth.js'
export { type CacheEntry, type CacheStore, createMemoryCache } from './client/cache-store.js'
export {
  ConnectionError,
  ContractError,
  PaginationError,
  RedirectError,
  ResponseParseError,
  RunFailedError,
  RunTimeoutError,
  TimeoutError,
} from './client/errors.js'
export type { CallEvent, Hooks, RetryEvent, WaitEvent } from './client/hooks.js'
export { type Client, createClient } from './client/index.js'
export type { CallOptions, ClientOptions, PlanName, PollingOptions, RetryOptions } from './client/options.js'
export type { PagedOperation, PageItem, PageQuery, Paginate } from './client/pages.js'
export type { PathAnswer, PathMethods } from './client/paths.js'
export { type AcquireOptions, createRateLimiter, type RateLimiter } from './client/rate-limiter.js'
export type { OnUnknownStatus, RunMethods, WaitForRunOptions, WatchOptions } from './client/runs.js'
export * from './client/statuses.js'
export type { Fetch } from './client/transport.js'
export type { Limit } from './internal/token-bucket.js'

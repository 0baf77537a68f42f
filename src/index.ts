export type { OperationMethods } from '../generated/client/methods.js'
export {
  type OperationId,
  type PlanId,
  plans,
} from '../generated/contract.js'
export type * from '../generated/named-types.js'
export type { CacheEntry, CacheStore } from './client/cache/entries.js'
export { createMemoryCache } from './client/cache/memory.js'
export {
  ApiError,
  type ApiErrorDetails,
  AuthenticationError,
  BadRequestError,
  ConnectionError,
  ContractError,
  ContractMismatchError,
  isContractError,
  MissingRunIdError,
  NotFoundError,
  PaginationError,
  PermissionError,
  RateLimitError,
  RedirectError,
  ResponseParseError,
  ResponseSizeError,
  RunFailedError,
  RunTimeoutError,
  ServerError,
  type StatusError,
  TimeoutError,
} from './client/errors.js'
export type {
  CallEvent,
  DeprecationEvent,
  Hooks,
  OnUnknownStatus,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  WaitEvent,
} from './client/hooks.js'
export { type Client, createClient, createFetch } from './client/index.js'
export { type AcquireOptions, createRateLimiter, type RateLimiter } from './client/limits/index.js'
export type { ResponseMethods, WithResponse } from './client/methods.js'
export type {
  HeadersOptions,
  Middleware,
  ParseAs,
  PathMethods,
  PathResult,
  QuerySerializerOptions,
  RequestExtras,
  UnknownCode,
} from './client/openapi-fetch.js'
export type {
  CallOptions,
  ClientOptions,
  FetchOptions,
  PollingOptions,
  RetryOptions,
  Validation,
} from './client/options.js'
export type { PagedOperation, PageItem, PageOf, PageQuery, Paginate, PaginateOptions } from './client/pages.js'
export type { Fetch, FetchInit } from './client/request/attempt.js'
export type { ApiKey } from './client/request/keys.js'
export type { FetchResponse } from './client/request/response.js'
export type { RunChanges, RunMethods, RunReference, WaitForRunOptions } from './client/runs/index.js'
export type { WatchOptions } from './client/runs/watcher.js'
export { triggerOutcome } from './client/trigger-outcome.js'
export type { Clock } from './shared/clock.js'
export type { Limit, PlanName } from './shared/limit.js'
export type { TriggerOutcome } from './shared/trigger-outcome.js'
export type { TerminalRunStatus, TerminalStepStatus } from './status/index.js'

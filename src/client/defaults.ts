// The defaults of the client, times in ms. The guide "In production" lists them: this file imports nothing, so that the
// build can read it before `generated/` is there.

/** The defaults of what applies to a call. */
export const CALL = {
  timeout: 30_000,
  totalTimeout: 180_000,
  maxRetries: 3,
  maxRetryAfter: 120_000,
  resendPost: false,
  cache: 'default',
  serviceVersion: undefined,
} as const

/** The wait after the first attempt and the longest one: after an error, and after a 429 that asks for no wait. */
export const BACKOFF = { first: 500, longest: 8_000 }
export const BACKOFF_OF_429 = { first: 5_000, longest: 60_000 }

/** The defaults of how runs are watched, and for how long. */
export const POLLING = { minInterval: 1_000, maxInterval: 10_000, rateShare: 0.5 }
export const WATCH_TIMEOUT = 900_000

/** The longest body of a response, in bytes. */
export const MAX_RESPONSE_SIZE = 10_000_000

/** The responses in the memory cache, and the characters of their bodies together. */
export const CACHE_SIZE = 100
export const CACHE_LENGTH = 10_000_000

/** The most pages of a list: more than any known list has, so that a `total` that is made up comes to an end. */
export const MAX_PAGES = 10_000

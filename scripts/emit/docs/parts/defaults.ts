import {
  BACKOFF,
  BACKOFF_OF_429,
  CACHE_LENGTH,
  CACHE_SIZE,
  CALL,
  MAX_PAGES,
  MAX_RESPONSE_SIZE,
  POLLING,
  WATCH_TIMEOUT,
} from '../../../../src/client/defaults.js'

/** The defaults of the client as rows of a table: the option, the value that the code has, and what it is for. */
export const defaultRows = (): string[][] => [
  ['`timeout`', time(CALL.timeout), 'an attempt with its body'],
  ['`totalTimeout`', time(CALL.totalTimeout), 'a call with its waits and attempts'],
  ['`retry.maxRetries`', `${CALL.maxRetries}`, 'how often a request is sent again'],
  ['`retry.maxRetryAfter`', time(CALL.maxRetryAfter), 'the longest wait that a 429 may ask for'],
  ['`retry.resendPost`', `${CALL.resendPost}`, 'whether a POST is sent again after a lost response'],
  ['', range(BACKOFF), 'the wait before another attempt: it doubles, with up to a tenth more'],
  ['', range(BACKOFF_OF_429), 'the same after a 429 that asks for no wait'],
  ['`timeout` of `waitForRun` and `watchRun`', time(WATCH_TIMEOUT), 'watching a run'],
  ['`polling.minInterval`', time(POLLING.minInterval), 'between the first polls of a run'],
  ['`polling.maxInterval`', time(POLLING.maxInterval), 'between later polls'],
  ['`polling.rateShare`', `${POLLING.rateShare}`, 'the share of the request rate that all polls may use'],
  ['`plan`', "`'auto'`", 'delays nothing until the first 429'],
  ['`cache`', `${number(CACHE_SIZE)} responses`, `in memory, ${number(CACHE_LENGTH)} characters at most`],
  ['`maxPages` of `paginate`', number(MAX_PAGES), 'the most pages of a list that are read'],
  ['`maxResponseSize`', `${number(MAX_RESPONSE_SIZE)} bytes`, 'the longest body that is read'],
]

const number = (value: number): string => value.toLocaleString('en')

/** Ms in the largest unit in which they are a whole number. */
function time(ms: number): string {
  if (ms % 60_000 === 0 && ms > 300_000) return `${ms / 60_000} min`
  return ms % 1_000 === 0 ? `${ms / 1_000} s` : `${ms} ms`
}

const range = ({ first, longest }: typeof BACKOFF): string => `${time(first)} to ${time(longest)}`

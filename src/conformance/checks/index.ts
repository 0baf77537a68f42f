import type { Settings } from '../options.js'
import { authChecks } from './auth.js'
import { bodyChecks } from './body.js'
import type { Check } from './check.js'
import { hobbyCheck, otherWorkspaceCheck, readOnlyCheck } from './keys.js'
import { pagingChecks } from './paging.js'
import { malformedParameterChecks, pinChecks } from './parameters.js'
import { MOST, rateLimitCheck } from './rate-limit.js'
import { readingChecks, runCheck } from './success.js'
import { triggerCheck } from './trigger.js'
import { unknownIdChecks } from './unknown-id.js'

export type { Check } from './check.js'

/** The first checks: when none of them gets through, nothing else would. */
export const firstChecks = (): Check[] => readingChecks()

/** All others, in an order in which each finds what it needs, the rate limit last. */
export const furtherChecks = ({
  run,
  trigger,
  readOnlyKey,
  otherWorkspaceKey,
  hobbyKey,
  rateLimit,
}: Settings): Check[] => [
  ...pinChecks(),
  ...pagingChecks(),
  ...(run === undefined ? [] : [runCheck(run)]),
  ...authChecks(),
  ...unknownIdChecks(),
  ...malformedParameterChecks(),
  ...bodyChecks(),
  ...(readOnlyKey === undefined ? [] : [readOnlyCheck(readOnlyKey)]),
  ...(hobbyKey === undefined ? [] : [hobbyCheck(hobbyKey)]),
  ...(trigger === undefined ? [] : [triggerCheck(trigger)]),
  ...(otherWorkspaceKey === undefined || (run ?? trigger) === undefined
    ? []
    : [otherWorkspaceCheck(otherWorkspaceKey)]),
  ...(rateLimit ? [rateLimitCheck] : []),
]

/** What a check does beyond reading, to be told beforehand. */
export const warningsOf = ({ trigger, rateLimit, maxWait }: Settings): string[] => [
  ...(trigger === undefined
    ? ['Nothing is triggered: every POST goes to an id that does not exist.']
    : [
        `A run of the playbook ${trigger} is triggered and followed for at most ${maxWait / 1000} s${rateLimit ? ', and a second one at the rate limit' : ''}. A service that takes malformed bodies could start more.`,
      ]),
  ...(rateLimit
    ? [
        `The rate limit is reached on purpose, with at most ${MOST} requests at once; other clients of the workspace will be answered 429 for a while.`,
      ]
    : []),
]

import type { Check } from '../check.js'
import { bodies } from './bodies.js'
import { credentials, credentialsAtOnce, credentialsFirst, otherAddresses, severalAtOnce } from './credentials.js'
import { follow, runsAtOnce } from './follow.js'
import { ids } from './ids.js'
import { inputs } from './inputs.js'
import { beyondLists, otherSizes, pages, usualSizes } from './lists.js'
import { parameters } from './parameters.js'
import { forbidden, forbiddenAtOnce, noAccess, reader, readerOfRuns } from './permission.js'
import { rateLimitCheck } from './rate-limit/index.js'
import {
  eachReadingAgain,
  eachReadingLater,
  fullReading,
  fullReadingAgain,
  namedRun,
  plainReading,
  plainReadingLater,
  runReadingLater,
} from './reading.js'
import { strangeTriggers } from './strangers.js'
import { manyTriggers, triggers } from './triggers.js'
import { unrelated } from './unrelated.js'
import {
  bothAtOnce,
  keptApartFull,
  keptApartOthers,
  keptApartPlain,
  listedByBoth,
  ownFull,
  ownInTurns,
  ownOthers,
  ownPlain,
  severalOfBoth,
} from './workspaces.js'

/** All checks in their order, in which each finds what it needs. */
export const CHECKS: readonly Check[] = [
  ...[plainReading, namedRun, fullReading, pages, ownPlain],
  // From here on runs are running.
  triggers,
  ...[runsAtOnce, fullReadingAgain, eachReadingAgain, readerOfRuns, forbidden],
  ...[keptApartFull, ownFull, bothAtOnce, strangeTriggers],
  ...[credentialsFirst, ids, bodies, parameters],
  follow,
  // From here on they have ended.
  ...[beyondLists, usualSizes, otherSizes],
  ...[plainReadingLater, runReadingLater, eachReadingLater, unrelated],
  ...[reader, forbiddenAtOnce],
  ...[keptApartPlain, keptApartFull, ownOthers, ownInTurns, keptApartOthers, severalOfBoth],
  ...[credentials, otherAddresses, credentialsAtOnce, severalAtOnce],
  ...[noAccess, inputs],
  // From here on the quota of runs may be used up.
  ...[manyTriggers, listedByBoth, rateLimitCheck],
]

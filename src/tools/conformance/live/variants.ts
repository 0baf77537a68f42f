import { type OperationId, operationNodes, protocol } from '../../../../generated/contract.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { hasId, isSafe } from '../judge/contract.js'
import { bearer, type ConformanceSettings } from '../options.js'
import { unknownId } from './cases/similar-ids.js'
import type { Known } from './known.js'
import { bodyWith, type TestRequest, titleOf, type Variant, variantsOf } from './request.js'

/** What requests are made of. */
interface RequestSource {
  readonly settings: ConformanceSettings
  readonly known: Known
}

/** A request with all that it leaves out: an unused id, a body, the key and the pin. */
export function completed(request: TestRequest, { settings, known }: RequestSource): TestRequest {
  const { operation } = request
  const parameter = operationNodes[operation].parameters.find((each) => each.in === 'path')
  const ids = known.idsFor(operation)
  const pin = known.unpinned.has(operation) ? undefined : known.pin
  return {
    body: operationNodes[operation].requestBody && bodyWith(settings.inputs, operation),
    authorization: bearer(settings.apiKey),
    ...withoutUndefined(request, NULLABLE),
    id: request.id ?? (parameter && unknownId(parameter, ids, mayStartAny(request, known))),
    headers: { ...(pin !== undefined && { [protocol.versionHeader]: pin }), ...request.headers },
  }
}

/** Whether a request whose key may be accepted may start a run if its id is that of something that was not seen. */
export function mayStartAny({ operation, authorization, mayBeAccepted }: TestRequest, known: Known): boolean {
  return isTrigger(operation) && (mayBeAccepted ?? authorization === undefined) && !known.hasAllIds(operation)
}

/** A body that is undefined is none; other parts are as if they were left out. */
const NULLABLE: ReadonlySet<string> = new Set(['body'])
const withoutUndefined = (request: TestRequest, kept: ReadonlySet<string>): TestRequest =>
  Object.fromEntries(
    Object.entries(request).filter(([name, value]) => value !== undefined || kept.has(name)),
  ) as unknown as TestRequest

/** Such a request to something that exists; undefined while no id is known. */
export function requestOf({ operation, change }: Variant, session: RequestSource): TestRequest | undefined {
  const id = hasId(operation) ? existingId(operation, session) : undefined
  return hasId(operation) && id === undefined ? undefined : { operation, id, ...change }
}

/** What changes something is sent to what the caller names only. */
function existingId(operation: OperationId, { settings, known }: RequestSource): string | undefined {
  if (isTrigger(operation)) return settings.trigger
  return isSafe(operation) ? known.idFor(operation) : undefined
}

/** The kinds of requests of an operation that were seen to succeed, the plainest first. */
export const seenVariants = (operation: OperationId, { known, settings }: RequestSource): Variant[] =>
  variantsOf(operation, settings).filter((variant) => known.seen.has(titleOf(variant)))

/** The request with most in it that was seen to succeed: what depends on a pin, a query or a page shows with it. */
export const fullVariant = (operation: OperationId, session: RequestSource): Variant =>
  seenVariants(operation, session).at(-1) ?? { name: '', operation, change: {} }

export const fullRequest = (operation: OperationId, session: RequestSource): TestRequest =>
  requestOf(fullVariant(operation, session), session) ?? { operation }

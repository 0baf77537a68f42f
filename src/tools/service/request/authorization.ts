import { errorInvalidKey, errorMissingKey } from '../../../../generated/examples.js'
import { STATUS } from '../../../internal/contract/status.js'
import type { ServiceResponse } from '../response/respond.js'

/** A 401. Basis: S23, S24; RFC 9110, section 15.5.2. */
const unauthorized = (example: object): ServiceResponse => ({
  status: STATUS.unauthorized,
  headers: CHALLENGE,
  body: example,
  reason: { type: 'key' },
})

const SCHEME = 'Bearer'
/** RFC 9110, section 15.5.2. */
export const CHALLENGE = { 'www-authenticate': SCHEME }

/** The key of an `Authorization` header; undefined when that has another form. RFC 9110, section 11; RFC 6750. */
export const keyOf = (authorization: string): string | undefined =>
  /^Bearer +\S+$/i.test(authorization) ? authorization.slice(authorization.lastIndexOf(' ') + 1) : undefined

/** An `Authorization` header with a key. */
export const authorizationOf = (key: string): string => `${SCHEME} ${key}`

export const missingKey = unauthorized(errorMissingKey)
export const invalidKey = unauthorized(errorInvalidKey)
export const malformedKey = unauthorized({
  ...errorInvalidKey,
  message: `The Authorization header must have the form "${authorizationOf('<API key>')}".`,
})

// The 502, which the contract does not have: for a trigger whose run may or may not have started.

/** RFC 9110, section 15.6.3. */
export const BAD_GATEWAY = 502

export const badGateway = (message: string) => ({ error: 'bad_gateway', message })

/** The body of a trigger whose handler does not know whether a run has started. */
export const unknownRun = badGateway('It is not known whether the run was started.')

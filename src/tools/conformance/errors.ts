/** Why a check was not possible. */
export type ConformanceErrorCode = 'options' | 'unreachable' | 'refused' | 'not-found'

/** The service could not be checked. `message` says why and what to do. */
export class ConformanceError extends Error {
  override name = 'ConformanceError'
  constructor(
    readonly code: ConformanceErrorCode,
    message: string,
  ) {
    super(message)
  }
}

/** An id that the caller gave does not exist: the option may be wrong, so the service does not fail. */
export const notFound = (noun: string, option: 'run' | 'trigger'): ConformanceError =>
  new ConformanceError('not-found', `There is no such ${noun}: the service responded with 404. Check --${option}.`)

export const wrongOption = (message: string) => new ConformanceError('options', message)

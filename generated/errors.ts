// Generated from openapi/ by `npm run build`. Edit that, not this.

/** The property with the id of the request, by the status of an error. */
export const requestIdFields: Readonly<Record<number, string>> = {}

/** The id of the request, if errors have one. */
export type RequestIdentified = object

/**
 * The properties of an error, by status: those that a service takes from its example, and required ones that only its
 * author knows.
 */
export const errorFields: Readonly<Record<number, { known: readonly string[]; asked: readonly string[] }>> = {
  400: {
    known: ["error", "message"],
    asked: [],
  },
  401: {
    known: ["error", "message"],
    asked: [],
  },
  403: {
    known: ["error", "message"],
    asked: [],
  },
  404: {
    known: ["error", "message"],
    asked: [],
  },
  429: {
    known: ["error", "message", "retry_after"],
    asked: [],
  },
  500: {
    known: ["error", "message"],
    asked: [],
  },
}

/** Required properties of errors that only handlers respond with, by status. */
export type FieldsOfHandlers = {}

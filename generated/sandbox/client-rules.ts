// Generated from openapi/ by `npm run build`. Edit that, not this.

/** What binds a client: `must` fails, `should` is advice. `of` has the operations that another entry states it for. */
export const clientRules = {
  bearer: {
    basis: "S23",
    client: "must",
  },
  waitSuffices: {
    basis: "S33",
    client: "must",
  },
  planLimits: {
    basis: "S34",
    client: "should",
  },
  caching: {
    basis: "S38",
    client: "should",
  },
  pinning: {
    basis: "S40",
    client: "must",
  },
  newRun: {
    basis: "A34",
    client: "must",
  },
} as const

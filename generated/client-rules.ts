// Generated from openapi/ by `npm run build`. Edit that, not this.

/** The rules that bind a client: `must` fails, `should` is advice. `of` has the operations that another entry states it for. */
export const clientRules = {
  runInputs: {
    basis: "S13",
    client: "must",
  },
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
  lostTrigger: {
    basis: "D10",
    client: "must",
  },
} as const

/** What each of these entries asks of a client, as reports name it. */
export const clientTitles = {
  S13: "The body of a trigger is JSON with inputs, whose names and values are strings",
  S23: "Each request has the key in the header Authorization",
  S33: "After a 429 the same request waits as long as Retry-After asks",
  S34: "The rate of the plan is kept",
  S38: "A list is kept for 60 seconds",
  S40: "A pin is a date YYYY-MM-DD",
  D10: "A trigger whose response was lost is not sent again",
} as const

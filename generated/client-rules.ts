// Generated from openapi/ by `npm run build`. Edit that, not this.

/** The rules that bind a client: `must` fails, `should` is advice. `of` has the operations that another entry states it for. */
export const clientRules = {
  runInputs: {
    basis: "S13",
    client: "must",
    title: "The body of a trigger is JSON with inputs, whose names and values are strings",
  },
  bearer: {
    basis: "S23",
    client: "must",
    title: "Each request has the key in the header Authorization",
  },
  waitSuffices: {
    basis: "S33",
    client: "must",
    title: "After a 429 the same request waits as long as Retry-After asks",
  },
  planLimits: {
    basis: "S34",
    client: "should",
    title: "The rate of the plan is kept",
  },
  caching: {
    basis: "S38",
    client: "should",
    title: "A list is kept for 60 seconds",
  },
  pinning: {
    basis: "S40",
    client: "must",
    title: "A pin is a date YYYY-MM-DD",
  },
  lostTrigger: {
    basis: "D10",
    client: "must",
    title: "A trigger whose response was lost is not sent again",
  },
} as const

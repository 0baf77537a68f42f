/** The limit of the processes, in a file of its own for their bundle. */
export const LIMIT = { requestsPerMinute: 60, burst: 10 }

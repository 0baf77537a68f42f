/** The limit of the processes, in a file of its own for their bundle. */
export const LIMIT = { requestsPerMinute: 300, burst: 10 }

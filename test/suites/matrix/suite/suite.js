import { runCases } from './check.js'
import { clientCases } from './client.js'
import { sandboxCases } from './sandbox.js'
import { validatorCases } from './validators.js'

/** Every case that passes on every runtime. */
export const runSuite = (server) => runCases({ ...validatorCases, ...sandboxCases, ...clientCases(server) })

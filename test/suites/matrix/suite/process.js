/** The suite in a process: Node, Bun and Deno. The base URL of the sandbox is its argument. */
import { runSuite } from './suite.js'

const server = globalThis.Deno ? globalThis.Deno.args[0] : process.argv[2]
console.log(JSON.stringify(await runSuite(server)))

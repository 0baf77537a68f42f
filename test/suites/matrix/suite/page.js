/** The suite in a page, which shows what it found as its text. The query has the base URL of the sandbox. */
import { runSuite } from './suite.js'

const { document, location } = globalThis
document.body.textContent = JSON.stringify(await runSuite(new URL(location.href).searchParams.get('server')))

/** Prints a new key of a workspace: `DATABASE_URL=… npm run key -- ws_1 [read-only]`. */
import { createPool } from './database.js'
import { createStore } from './store.js'

const [workspace, mode] = process.argv.slice(2)
if (!workspace) throw new Error('Name the workspace: npm run key -- ws_1 [read-only]')
const pool = createPool(process.env.DATABASE_URL)
console.log(await createStore(pool).createKey(workspace, mode !== 'read-only'))
await pool.end()

// Links that npm does not make: the package itself, as it was built, and these packages for the examples that tests start.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
/** @type {(path: string, target: string) => void} */
function link(path, target) {
  rmSync(join(root, path), { force: true })
  mkdirSync(dirname(join(root, path)), { recursive: true })
  symlinkSync(join(root, target), join(root, path), 'junction')
}
link('examples/node_modules', 'test/node_modules')
link('test/node_modules/@workflow-automation/contract', '.')

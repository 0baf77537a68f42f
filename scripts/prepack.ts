/** Run by npm before it packs: builds, and gives every file that is packed the mode it has on any machine. */
import { chmod, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, report } from './build.js'
import { pack } from './pack.js'

async function main(root: string): Promise<void> {
  await build({ root, output: process.stderr })
  const { bin = {} } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    bin?: Record<string, string>
  }
  const commands = new Set(Object.values(bin).map((path) => join(path)))
  const { files } = await pack(root, tmpdir(), { dryRun: true })
  for (const { path } of files) await chmod(join(root, path), commands.has(path) ? 0o755 : 0o644)
}

main(process.cwd()).catch((error) => {
  report(error)
  process.exit(1)
})

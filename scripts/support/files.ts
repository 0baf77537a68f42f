import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The files below a folder of `root`, as paths from `root` with slashes; those of installed packages are left out. */
export function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      return entry.isDirectory() ? filesBelow(root, path) : [path]
    })
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The packages of files that a bundler has read, sorted: their folders below `node_modules`, which may have a package within another. */
export const packagesOf = (files: Iterable<string>): string[] =>
  [
    ...new Set(
      [...files].flatMap(
        (file) =>
          /[\\/]node_modules[\\/]((?:.*[\\/]node_modules[\\/])?(?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1] ?? [],
      ),
    ),
  ]
    .map((name) => name.replaceAll('\\', '/'))
    .sort()

/** The name of a package from its folder. */
export const packageName = (folder: string): string => folder.replace(/.*\/node_modules\//, '')

/**
 * The licenses of the packages whose code bundlers have put into the published files. What npm installs beside the
 * package has its own.
 *
 * @throws Error for a package without a license file
 */
export function makeNotices(root: string, packages: string[]): string {
  const parts = [
    'This package contains code of the packages below, each under its own license.',
    ...packages.map((name) => {
      const folder = join(root, 'node_modules', name)
      const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      const file = readdirSync(folder).find((each) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(each))
      if (!file) throw new Error(`${name} is bundled into dist/ and has no license file. Do not bundle it.`)
      return `${packageName(name)} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}`
    }),
  ]
  return `${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

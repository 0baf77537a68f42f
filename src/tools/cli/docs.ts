import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { EXIT } from './exit.js'
import { packagedFile } from './package.js'

/** `workflow-automation docs`: the guides of the installed version, as Markdown. */
export const docsCommand = (): Command =>
  new Command('docs')
    .description('List the guides of this version, or print one.')
    .argument('[guide]', 'a name from the list, such as testing')
    .addHelpText(
      'after',
      `
The guides are Markdown files in the package, so this works offline.

Examples:
  workflow-automation docs
  workflow-automation docs errors-and-retries

Exit codes: 0 if printed, 2 for an unknown guide.`,
    )
    .action((name: string | undefined) => {
      const text = name === undefined ? list() : read(name)
      if (text !== undefined) return void process.stdout.write(text)
      process.stderr.write(`Unknown guide "${name}". The guides are:\n\n${list()}`)
      process.exitCode = EXIT.notPossible
    })

const folder = join(dirname(packagedFile('openapi.yaml')), '../docs/guides')

/** A guide by its name; a name with a folder in it is none. */
function read(name: string): string | undefined {
  const path = join(folder, `${name.replace(/\.md$/, '')}.md`)
  return /^[\w.-]+$/.test(name) && existsSync(path) ? withoutComments(readFileSync(path, 'utf8')) : undefined
}

/** Comments mark the generated parts of a guide. */
const withoutComments = (text: string): string => text.replaceAll(/^<!--.*-->\n\n?/gm, '')

/** Name and title of each guide by group, from the index of the guides. */
function list(): string {
  const lines = readFileSync(join(folder, 'README.md'), 'utf8').split('\n')
  const shown = lines.flatMap((line) => {
    const [, group] = /^## (.+)/.exec(line) ?? []
    const [, title, name] = /^- \[(.+?)\]\(([\w-]+)\.md\)/.exec(line) ?? []
    return group ? [`${group}`] : name ? [`  ${name.padEnd(28)} ${title}`] : []
  })
  return `${shown.join('\n')}\n`
}

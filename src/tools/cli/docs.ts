import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { EXIT, perform } from './exit.js'
import { packagedFile } from './package.js'
import { err, out } from './screen.js'

/** `workflow-automation docs`: the guides of the installed version, as Markdown. */
export const docsCommand = (): Command =>
  new Command('docs')
    .description('List the guides of this version, print one, or search their titles and headings.')
    .argument('[word]', 'a name from the list, such as testing, or a word to search for')
    .addHelpText(
      'after',
      `
The guides are Markdown files in the package, so this works offline.

Examples:
  workflow-automation docs
  workflow-automation docs errors-and-retries
  workflow-automation docs proxy

Exit codes: 0 if printed, 2 if no guide has this name, nor the word in its title or a heading.`,
    )
    .action((word: string | undefined) => perform(async () => print(word)))

const folder = join(dirname(packagedFile('openapi.yaml')), '../docs/guides')

function print(word: string | undefined): number {
  const guide = word === undefined ? undefined : read(word)
  const found = guide ?? (word === undefined ? guideList() : search(word))
  if (found !== '') {
    out.block(found)
    return EXIT.done
  }
  err.line(`Unknown guide "${word}". The guides are:`)
  err.block(`\n${guideList()}`)
  return EXIT.notPossible
}

/** A guide by its name; a name with a folder in it is none. */
function read(name: string): string | undefined {
  const path = join(folder, `${name.replace(/\.md$/, '')}.md`)
  return /^[\w.-]+$/.test(name) && existsSync(path) ? withoutComments(readFileSync(path, 'utf8')) : undefined
}

/** Comments mark the generated parts of a guide. */
const withoutComments = (text: string): string => text.replaceAll(/^<!--.*-->\n\n?/gm, '')

/** Name and title of each guide by group, from the index of the guides. */
const guideList = (): string =>
  index()
    .map(({ group, name, title }) => (group ? `${group}\n` : entry(name, title)))
    .join('')

/** The guides with a word in their name, their title or a heading, and these headings. */
function search(word: string): string {
  const hasWord = (text: string) => text.toLowerCase().includes(word.toLowerCase())
  return index()
    .filter(({ group }) => !group)
    .flatMap(({ name, title }) => {
      // What follows # in a program is a comment.
      const prose = (read(name) ?? '').replaceAll(/^```.*?^```/gms, '')
      const headings = [...prose.matchAll(/^##+ (.+)/gm)].map(([, heading = '']) => heading).filter(hasWord)
      const isFound = headings.length > 0 || hasWord(title) || hasWord(name)
      return isFound ? [entry(name, title), ...headings.map((heading) => `${' '.repeat(31)}- ${heading}\n`)] : []
    })
    .join('')
}

const entry = (name: string, title: string): string => `  ${name.padEnd(28)} ${title}\n`

/** The groups and guides of the index. */
const index = () =>
  readFileSync(join(folder, 'README.md'), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, group = ''] = /^## (.+)/.exec(line) ?? []
      const [, title = '', name = ''] = /^- \[(.+?)\]\(([\w-]+)\.md\)/.exec(line) ?? []
      return group || name ? [{ group, title, name }] : []
    })

import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { getOrCreate } from '../../../src/internal/maps.js'
import { HOME, readMarkdown } from './guides.js'

/** The TypeScript of a guide: its blocks form one program, in their order. */
export interface GuideProgram {
  name: string
  imports: string[]
  /** Without their imports. */
  blocks: string[]
  /** How many of the blocks, from the first on, run in a browser with a sandbox. */
  runnable: number
}

/** The modules that the page brings, as files of the repository. */
export const PAGE_MODULES: Readonly<Record<string, string>> = {
  '@workflow-automation/contract': 'src/index.ts',
  '@workflow-automation/contract/types': 'generated/types.ts',
  '@workflow-automation/contract/status': 'src/status/index.ts',
  '@workflow-automation/contract/validators': 'src/validators/index.ts',
  '@workflow-automation/contract/conformance': 'src/tools/conformance/index.ts',
}

const IMPORT = /^import (?:(type )?\{\s+([^}]+?),?\s+\}|.+) from '(.+)'\n/gm

/** The program of a guide; undefined when it has no TypeScript. */
function guideProgram(name: string, text: string): GuideProgram | undefined {
  const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
  if (blocks.length === 0) return undefined
  const foreign = blocks.findIndex(
    (block) => MOCK.test(block) || [...block.matchAll(IMPORT)].some(([line]) => !isInPage(line.trim())),
  )
  return {
    name,
    imports: mergeImports(blocks.join('')),
    blocks: blocks.map((block) => block.replaceAll(IMPORT, '')),
    runnable: foreign === -1 ? blocks.length : foreign,
  }
}

/** The port that the guides give the mock, which responds otherwise than the sandbox. */
const MOCK = /baseUrl: 'http:\/\/127\.0\.0\.1:4020/

/** Whether the page has the module that an import names. */
export function isInPage(line: string): boolean {
  const module = /'(.+)'$/.exec(line)?.[1] ?? ''
  return module in PAGE_MODULES || module === 'openapi-fetch'
}

/** The imports of blocks that stood apart: a name may be imported by several. */
function mergeImports(source: string): string[] {
  const names = new Map<string, Set<string>>()
  const others = new Set<string>()
  for (const [whole, type = '', list, module = ''] of source.matchAll(IMPORT))
    if (!list) others.add(whole.trim())
    else for (const name of list.split(/,\s+/)) getOrCreate(names, module, () => new Set()).add(type + name)
  return [...others, ...[...names].map(([module, all]) => `import { ${[...all].join(', ')} } from '${module}'`)]
}

/** The programs of the home page and of all guides of a project. */
export const readPrograms = (root: string): GuideProgram[] =>
  [[basename(HOME, '.md'), readFileSync(join(root, HOME), 'utf8')] as const, ...readMarkdown(root)]
    .map(([name, text]) => guideProgram(name, text))
    .filter((program) => program !== undefined)

/** Code that prints or sends something. */
const DOES = /\bawait |\bconsole\./

/** Names the program in the first line of each block that the page can run. */
export function withPrograms(guide: string, text: string): string {
  const { runnable = 0 } = guideProgram(guide, text) ?? {}
  let block = 0
  return text.replaceAll(/^```ts\n([\s\S]*?)^```$/gm, (whole, code: string) => {
    const at = block++
    return at < runnable && DOES.test(code) ? whole.replace('```ts', `\`\`\`ts run=${guide}/${at}`) : whole
  })
}

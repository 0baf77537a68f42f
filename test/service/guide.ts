import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { repository as root } from '../support/project.js'

/** The entries of the package as source, so that nothing has to be built first. */
const PACKAGE = {
  '@workflow-automation/contract/service': join(root, 'src/tools/service/index.ts'),
  '@workflow-automation/contract/types': join(root, 'generated/types.ts'),
  '@workflow-automation/contract/validators': join(root, 'src/validators/index.ts'),
}

const guide = await readFile(join(root, 'docs/guides/implementing.md'), 'utf8')
/** The first block of code of each section. */
export const snippets = new Map(
  guide
    .split(/^###? /m)
    .slice(1)
    .flatMap((section) => {
      const code = /^```ts\n(.*?)^```$/ms.exec(section)?.[1]
      return code === undefined ? [] : [[section.slice(0, section.indexOf('\n')), code]]
    }),
)

/** Writes a module that uses the package. */
export async function writeModule(file: string, code: string): Promise<void> {
  let text = code
  for (const [name, source] of Object.entries(PACKAGE))
    text = text.replaceAll(`'${name}'`, `'${source.replace(/ts$/, 'js')}'`)
  await writeFile(file, text)
}

/** What a snippet of the guide exports, with the `service.ts` of a folder; what listens, on a port, is `listening` or `app`. */
export async function load(heading: string, folder: string, port = 0) {
  const file = join(folder, `${heading.replaceAll(' ', '-')}.ts`)
  const code = (snippets.get(heading) ?? '')
    .replace('3000', String(port))
    .replace(/^(await )?(?=app\.listen|serve)/m, 'export const listening = $1')
    .replace(/^const app/m, 'export const app')
  await writeModule(file, code)
  return import(/* @vite-ignore */ pathToFileURL(file).href)
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { repository as root } from '../support/project.js'

export const EXAMPLE = join(root, 'examples/provider-hono/app.ts')
export const PACKAGE = {
  '@workflow-automation/contract/service': join(root, 'src/service/index.ts'),
  '@workflow-automation/contract/types': join(root, 'generated/types.ts'),
  '@workflow-automation/contract/validators': join(root, 'generated/validators.ts'),
}

const guide = await readFile(join(root, 'openapi/guides/implementing.md'), 'utf8')
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

/** A snippet of the guide as a module, with `service.js` of a folder; listens on `port` where it listens. */
export async function bundled(heading: string, resolveDir: string, port = 0): Promise<string> {
  const code = snippets.get(heading) ?? ''
  const contents = code
    .replace('3000', String(port))
    .replace(/^(await )?(?=app\.listen|serve)/m, 'export const listening = $1')
    .replace(/^const app/m, 'export const app')
  const outfile = join(resolveDir, `${heading.replaceAll(' ', '-')}.mjs`)
  await build({
    stdin: { contents, loader: 'ts', resolveDir },
    alias: PACKAGE,
    // Workers have no packages.
    external:
      heading === 'Workers'
        ? ['node:net']
        : ['node:net', 'srvx', 'express', 'fastify', 'hono', '@hono/standard-validator', '@opentelemetry/api'],
    bundle: true,
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    outfile,
  })
  return outfile
}

import { readdirSync } from 'node:fs'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import ts from 'typescript'
import { parse } from 'yaml'
import { indexContract } from '../contract/index.js'
import { frozenPath, releaseDates } from '../release/frozen.js'
import { RELEASES_DIST, type Stage } from '../stage.js'
import { emitClient } from './client.js'
import { DECLARATIONS } from './dist.js'
import { emitTypes } from './types.js'

/**
 * The types of the client and of handlers over the document of each release, in `packages/releases/dist/`: today's
 * declarations, bundled with the types of the release. `types.d.ts` lists them by date; the contract looks there for the type
 * of a client that names a release. It takes what {@link emitReleases} staged of each.
 */
export async function emitPinned(root: string, stage: Stage): Promise<void> {
  const dates = releaseDates(root)
  for (const date of dates) {
    const contract = indexContract(parse(await readFile(frozenPath(root, date, 'yaml'), 'utf8')))
    const folder = join('pinned', date)
    const sources: Record<string, string> = {
      'types.ts': await emitTypes(contract),
      'client/methods.ts': emitClient(contract),
    }
    for (const file of readdirSync(join(stage.folder, date, 'generated'), { recursive: true })
      .map(String)
      .filter((each) => each.endsWith('.ts')))
      sources[file] = await readFile(join(stage.folder, date, 'generated', file), 'utf8')
    for (const [file, text] of Object.entries(sources).filter(([name]) => /\.ts$/.test(name))) {
      const isDeclared = file.endsWith('.d.ts')
      const declared = isDeclared ? text : ts.transpileDeclaration(text, {}).outputText
      stage.write(join(folder, 'generated', file.replace(/(\.d)?\.ts$/, '.d.ts')), declared)
    }
    for (const wing of ['client', 'internal', 'runtime', 'service'])
      await cp(join(stage.folder, DECLARATIONS, 'src', wing), join(stage.folder, folder, 'src', wing), {
        recursive: true,
      })
    stage.write(join(folder, 'client.d.ts'), clientOf(date))
    stage.write(join(folder, 'service.d.ts'), SERVICE)
    await build({
      input: {
        client: join(stage.folder, folder, 'client.d.ts'),
        service: join(stage.folder, folder, 'service.d.ts'),
      },
      external: /^[^./]/,
      checks: { pluginTimings: false },
      plugins: [dts({ dtsInput: true })],
      cwd: join(stage.folder, folder),
      output: {
        dir: join(stage.folder, RELEASES_DIST, date),
        entryFileNames: '[name].d.ts',
        chunkFileNames: '[name].d.ts',
      },
    })
  }
  const types = dates.map((date) => {
    const module = `import('./${date}/client.js')`
    return `  '${date}': { client: ${module}.Client; calls: ${module}.Calls; paths: ${module}.paths }\n`
  })
  stage.write(join(RELEASES_DIST, 'types.d.ts'), `export interface Releases {\n${types.join('')}}\n`)
}

/** The client of a release, and its methods with options that name the release. */
const clientOf = (date: string): string => `import type { Client } from './src/client/index.js'
import type { CallOptions } from './src/client/options.js'
import type { CallsOf } from './src/client/pinned.js'
import type { RunMethods } from './src/client/runs/index.js'
import type { OperationMethods } from './generated/client/methods.js'
import type { paths } from './generated/types.js'
interface Pin { serviceVersion: '${date}' }
export type { Client, paths }
export type Calls = CallsOf<OperationMethods<CallOptions> & RunMethods, Pin>
`

/** What a service needs to handle requests of a release. */
const SERVICE = `import type { HandlerExtra, Operations, Release } from './src/service/types.js'
/** The handlers of this release, for the option \`releases\` of \`createService\`. An operation without one goes to today's handler. */
export declare function defineRelease<Context>(
  operations: { [O in keyof Operations<Context>]?: Operations<Context, HandlerExtra>[O] | undefined },
): Release<Context>
`

import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

/** The page of the sandbox's console: a page, a script with everything in it and a style sheet, in the stage's `dist/`. */
export async function emitConsole(stage: string): Promise<void> {
  const source = join(stage, 'src', FOLDER)
  const out = join(stage, 'dist/src', FOLDER)
  await build({
    entryPoints: { console: join(source, 'main.tsx'), styles: join(source, 'console.css') },
    absWorkingDir: stage,
    outdir: out,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
  })
  await cp(join(source, 'index.html'), join(out, 'index.html'))
}

const FOLDER = 'sandbox/console'

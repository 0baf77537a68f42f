/** How a project of somebody else may compile the package. */
export interface TypeProject {
  name: string
  /** Files of `test/types/`. */
  files: string[]
  compilerOptions: Record<string, unknown>
}

/** Every way in which the package has to compile, under a version of TypeScript. */
export function typeProjects(typescript: string): TypeProject[] {
  const projects: TypeProject[] = []
  // The oldest is slow, and what compiles exactly mostly compiles otherwise, too.
  for (const moduleResolution of ['node16', 'nodenext', 'bundler'])
    for (const strictest of isAtLeast(typescript, REQUIRES_MODULES) ? [false, true] : [true])
      projects.push({
        name: `${moduleResolution}${strictest ? ', libraries checked, exact' : ''}`,
        files: [...MODULES, 'sandbox-node.ts', moduleResolution === 'node16' ? 'document-node16.ts' : 'document.ts'],
        compilerOptions: {
          module: moduleResolution === 'bundler' ? 'esnext' : moduleResolution,
          moduleResolution,
          skipLibCheck: !strictest,
          exactOptionalPropertyTypes: strictest,
          lib: ['ES2022', 'DOM', 'DOM.Iterable'],
          types: ['node'],
        },
      })
  const checked = { skipLibCheck: false, exactOptionalPropertyTypes: true }
  projects.push(
    {
      name: 'for a browser, without types of Node',
      files: [...MODULES, 'document.ts'],
      compilerOptions: {
        ...checked,
        ...BUNDLER,
        lib: ['ES2022', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
        types: [],
      },
    },
    {
      name: 'for Node, without types of browsers',
      files: [...MODULES, 'sandbox-node.ts'],
      compilerOptions: { ...checked, ...NODENEXT, lib: ['ES2022'], types: ['node'] },
    },
    {
      name: 'CommonJS with import()',
      files: ['commonjs-import.cts'],
      compilerOptions: { ...checked, ...NODE16, lib: ['ES2022', 'DOM', 'DOM.Iterable'], types: ['node'] },
    },
  )
  if (isAtLeast(typescript, REQUIRES_MODULES))
    projects.push({
      name: 'CommonJS with import and require()',
      files: ['commonjs.cts', 'commonjs-import.cts'],
      compilerOptions: { ...checked, ...NODENEXT, lib: ['ES2022', 'DOM', 'DOM.Iterable'], types: ['node'] },
    })
  return projects
}

/** The configuration of such a project, whose files lie in a folder beside it. TypeScript's own files are not checked. */
export const tsconfigOf = ({ files, compilerOptions }: TypeProject, folder: string): object => ({
  compilerOptions: {
    target: 'ES2022',
    strict: true,
    noEmit: true,
    skipDefaultLibCheck: true,
    resolveJsonModule: true,
    ...compilerOptions,
  },
  files: files.map((file) => `${folder}/${file}`),
})

const MODULES = [
  'expect.ts',
  'contract.ts',
  'client.ts',
  'entries.ts',
  'fixtures.ts',
  'redis.ts',
  'sandbox.ts',
  'service.ts',
]
const BUNDLER = { module: 'esnext', moduleResolution: 'bundler' }
const NODENEXT = { module: 'nodenext', moduleResolution: 'nodenext' }
const NODE16 = { module: 'node16', moduleResolution: 'node16' }

/** Since this version TypeScript knows that CommonJS can require ES modules. */
const REQUIRES_MODULES = '5.8'

const isAtLeast = (version: string, least: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number)
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
}

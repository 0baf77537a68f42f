import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { satisfies } from 'semver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressOf } from '../../../scripts/release/address.js'
import { type Consumer, consumer, entriesOf, manifestOf, NAME } from '../../package/consumer.js'
import { VERSIONS } from '../../suites/matrix/compilers.js'
import { repository } from '../../support/project.js'

let project: Consumer
beforeAll(async () => {
  project = await consumer()
})
afterAll(() => project.remove())

const paths = () => project.packed.files.map(({ path }) => path)

describe('the packed tarball', () => {
  it('the tarball contains the build, the document, the guides, README, AGENTS.md and license, changelog, SBOM and notices, and neither tests, sources nor the site', () => {
    const kinds = new Set(paths().map((path) => path.replace(/^(dist\/(?:src|generated)|docs\/guides)\/.*/, '$1')))
    const papers = ['LICENSE', 'README.md', 'AGENTS.md', 'CHANGELOG.md', 'SECURITY.md', 'package.json']
    const parts = ['dist/sbom.cdx.json', 'dist/third-party-notices.txt']
    const documents = [
      'openapi.json',
      'openapi.plain.json',
      'openapi.plain.yaml',
      'openapi-3.0.json',
      'openapi.yaml',
      'openapi.mock.yaml',
      'report.schema.json',
      'world.schema.json',
    ].map((file) => `generated/${file}`)
    expect([...kinds].sort()).toEqual(
      [...papers, ...parts, 'docs/guides', 'dist/generated', 'dist/src', ...documents].sort(),
    )
    expect(paths().filter((path) => /(?:^|\/)tests?\/|\.(?:test|spec)\.|bench/.test(path))).toEqual([])
    // The console is a page.
    expect(
      paths()
        .filter((path) => path.startsWith('dist/') && !/\.(?:json|txt)$/.test(path) && !/\.(?:js|d\.ts)$/.test(path))
        .sort(),
    ).toEqual(['dist/src/tools/console/index.html', 'dist/src/tools/console/styles.css'])
  })

  it('what a bundler has put into the tarball is in the notices with its license, and in the SBOM', () => {
    const read = (path: string) => readFileSync(join(project.installed, path), 'utf8')
    const { components } = JSON.parse(read('dist/sbom.cdx.json')) as { components: { name: string; version: string }[] }
    // Code that each of them is known by, in the file that contains it.
    const evidence = {
      preact: ['dist/src/tools/console/console.js', '__k'],
      ajv: ['dist/generated/checks.js', 'ucs2length'],
    }
    for (const [name, [file, code]] of Object.entries(evidence) as [string, [string, string]][]) {
      const { version } = JSON.parse(readFileSync(join(repository, 'node_modules', name, 'package.json'), 'utf8'))
      expect(read(file)).toContain(code)
      expect(components).toContainEqual(expect.objectContaining({ name, version }))
      const notice = read('dist/third-party-notices.txt')
        .split(/^-+$/m)
        .find((each) => each.includes(`${name} ${version}`))
      expect(notice).toContain('Permission is hereby granted')
    }
  })

  it('the tarball contains no path of the machine that packed it', () => {
    const machine = [repository, process.env.HOME].filter((path) => path !== undefined && path.length > 1)
    const revealing = paths().filter((path) => {
      const text = readFileSync(join(project.installed, path), 'utf8')
      return machine.some((each) => text.includes(each as string))
    })
    expect(revealing).toEqual([])
  })

  it('the tarball contains readable modules, no source maps and no import of nothing', () => {
    for (const path of paths().filter((each) => /^dist\/src\/.*\.js$/.test(each))) {
      const text = readFileSync(join(project.installed, path), 'utf8')
      expect(text, path).not.toContain('sourceMappingURL')
      expect(text, path).not.toMatch(/^import "/m)
    }
    expect(readFileSync(join(project.installed, 'dist/src/index.js'), 'utf8').split('\n').length).toBeGreaterThan(5)
  })
})

describe('the papers of the tarball', () => {
  const linksIn = (file: string) => {
    const text = readFileSync(join(project.installed, file), 'utf8').replaceAll(/```[\s\S]*?```|`[^`]*`/g, '')
    return [...text.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)].map(
      ([, inline, reference]) => inline ?? reference ?? '',
    )
  }

  it('every link of README, AGENTS.md, SECURITY.md and the changelog leads to a packed file or to another site', () => {
    for (const file of ['README.md', 'AGENTS.md', 'SECURITY.md', 'CHANGELOG.md'])
      for (const link of linksIn(file).filter((each) => !/^(https:\/\/|#)/.test(each)))
        expect(paths(), `${file}: ${link}`).toContain(link.replace(/#.*/, ''))
  })

  it('AGENTS.md says nothing about files that are not packed', () => {
    const agents = readFileSync(join(project.installed, 'AGENTS.md'), 'utf8')
    expect(agents).toContain('## Built on it')
    expect(agents).not.toMatch(/CONTRIBUTING|openapi\/basis\.yaml|npm run/)
  })

  it('every link of a guide leads to a packed file', () => {
    const guides = paths().filter((path) => path.startsWith('docs/guides/'))
    expect(guides).toContain('docs/guides/getting-started.md')
    for (const file of guides)
      for (const link of linksIn(file).filter((each) => !/^(https?:\/\/|#)/.test(each)))
        expect(paths(), `${file}: ${link}`).toContain(join(dirname(file), link.replace(/#.*/, '')))
  })

  it('every link to the repository has the address that package.json gives, and leads to a file of the repository', () => {
    const address = addressOf(repository)
    const guides = paths().filter((path) => path.startsWith('docs/guides/'))
    const links = ['README.md', 'SECURITY.md', ...guides].flatMap(linksIn).filter((link) => link.startsWith(address))
    expect(links.length).toBeGreaterThan(0)
    for (const link of links) {
      const [, path] = /^\/(?:blob|raw|tree)\/main\/([^#]+)/.exec(link.slice(address.length)) ?? []
      if (path) expect(existsSync(join(repository, path)), link).toBe(true)
    }
  })

  it('package.json names the home page and the issues of the repository', () => {
    const { homepage, bugs } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
    expect(homepage).toBe(`${addressOf(repository)}#readme`)
    expect(bugs).toBe(`${addressOf(repository)}/issues`)
  })
})

describe('package.json', () => {
  it('package.json as published runs nothing when it is installed, and names no tool of ours', () => {
    const names = Object.keys(JSON.parse(readFileSync(join(project.installed, 'package.json'), 'utf8')))
    expect(names).toContain('dependencies')
    for (const own of ['devDependencies', 'overrides', 'scripts']) expect(names).not.toContain(own)
  })

  it('package.json exports only packed files, types first', () => {
    for (const [entry, target] of entriesOf(project.installed)) {
      const targets = typeof target === 'string' ? { default: target } : target
      if (typeof target !== 'string') expect(Object.keys(target), entry).toEqual(['types', 'default'])
      for (const path of Object.values(targets)) expect(existsSync(join(project.installed, path)), path).toBe(true)
    }
  })

  it('package.json exports every entry that the README lists, and that it or a guide imports', () => {
    const exported = new Set(entriesOf(project.installed).map(([entry]) => entry.replace(/^\./, NAME)))
    const readme = readFileSync(join(repository, 'README.md'), 'utf8')
    const guides = readdirSync(join(repository, 'docs/guides'))
    const texts = guides.map((file) => readFileSync(join(repository, 'docs/guides', file), 'utf8'))
    const imported = [readme, ...texts].flatMap((text) => [
      ...text.matchAll(/from '@workflow-automation\/contract((?:\/[^']*)?)'/g),
    ])
    const listed = [...readme.matchAll(/`\u2026(\/[\w/.]+)`/g)]
    expect(listed.length).toBeGreaterThan(5)
    expect([...imported, ...listed].map(([, path]) => `${NAME}${path}`).filter((name) => !exported.has(name))).toEqual(
      [],
    )
  })

  it('the README says the least version of TypeScript that the matrix compiles the package with', () => {
    const [least] = Object.values(VERSIONS)
    expect(readFileSync(join(repository, 'README.md'), 'utf8')).toContain(`TypeScript from ${least}:`)
  })

  it('package.json names a packed command that starts with Node, as which the README calls it', () => {
    const { bin = {} } = manifestOf(project.installed)
    const readme = readFileSync(join(repository, 'README.md'), 'utf8')
    // npx calls the only command of a package, whatever its name is.
    expect(Object.keys(bin)).toHaveLength(1)
    expect(readme).toContain(`npx ${NAME} `)
    for (const path of Object.values(bin))
      expect(readFileSync(join(project.installed, path), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })

  it('the package requires no build tool at run time, neither as a dependency nor as a peer', () => {
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifestOf(project.installed)
    expect(Object.keys(dependencies).sort()).toEqual(importedPackages().sort())
    for (const name of Object.keys(peerDependencies))
      expect(peerDependenciesMeta[name], name).toEqual({ optional: true })
  })
})

it('packages that the project and its slow tests both install have one version', () => {
  const [own, slow] = ['package.json', 'test/package.json'].map((file) =>
    JSON.parse(readFileSync(join(repository, file), 'utf8')),
  )
  const shared = Object.entries<string>({ ...own.dependencies, ...own.devDependencies }).flatMap(([name, version]) =>
    name in slow.dependencies ? [[name, version]] : [],
  )
  expect(shared).not.toEqual([])
  for (const [name = '', version] of shared) expect(slow.dependencies).toHaveProperty([name], version)
})

it('npm ci warns of no package that refuses a supported Node', () => {
  const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8'))
  const refusing = Object.entries<{ engines?: { node?: string } }>(packages).flatMap(([path, { engines }]) =>
    ['20.19.0', '22.22.0', '24.18.0']
      .filter((node) => !satisfies(node, engines?.node ?? '*'))
      .map((node) => `${path} ${node}`),
  )
  expect(refusing).toEqual([])
})

/** The packages that modules of src/ import. */
function importedPackages(): string[] {
  const files = (readdirSync(join(repository, 'src'), { recursive: true }) as string[]).filter(
    (file) =>
      // What the console imports is bundled into its script.
      file.endsWith('.ts') && !file.startsWith('tools/console/'),
  )
  const names = files.flatMap((file) =>
    [...readFileSync(join(repository, 'src', file), 'utf8').matchAll(/(?:from|import\() ?'(@?[a-z][\w./:-]*)'/g)].map(
      ([, name = '']) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name,
    ),
  )
  // Bundled into the command, like what it imports itself.
  const bundled = ['string-width']
  return [...new Set(names.filter((name) => !name.startsWith('node:') && ![NAME, ...bundled].includes(name)))]
}

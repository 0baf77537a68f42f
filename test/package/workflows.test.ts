import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { finish, repository } from '../support/project.js'

type Job = {
  permissions?: Record<string, string>
  uses?: string
  steps?: { uses?: string; run?: string }[]
}

const FOLDER = '.github/workflows'
const workflows = readdirSync(join(repository, FOLDER)).map((file) => {
  const { jobs, permissions } = parse(readFileSync(join(repository, FOLDER, file), 'utf8'))
  return { file, permissions, jobs: jobs as Record<string, Job> }
})
const jobs = workflows.flatMap(({ file, jobs }) => Object.entries(jobs).map(([name, job]) => ({ file, name, ...job })))

describe('the workflows', () => {
  it('every action is pinned by its commit', () => {
    const used = jobs.flatMap(({ uses, steps = [] }) => [uses, ...steps.map((step) => step.uses)])
    for (const action of used.filter((each) => each !== undefined)) expect(action).toMatch(/^\.\/|@[\da-f]{40}$/)
  })

  it('a job that may publish installs nothing, checks nothing out and runs no script of the repository', () => {
    const publishing = jobs.filter(({ permissions = {} }) => permissions['id-token'] === 'write')
    expect(publishing).not.toEqual([])
    for (const { file, name, steps = [] } of publishing) {
      expect(steps.length, `${file}: ${name}`).toBeLessThanOrEqual(3)
      for (const { uses = '', run = '' } of steps) {
        expect(uses, `${file}: ${name}`).not.toContain('actions/checkout')
        expect(run, `${file}: ${name}`).toMatch(/^$|^npm publish \.\/contract\.tgz /)
      }
    }
    for (const { file, permissions } of workflows) expect(permissions, file).toEqual({ contents: 'read' })
  })

  it('a change and a release pass the gate, whose steps stand in .ci/run alone', () => {
    const commands = (file: string) =>
      jobs.filter((job) => job.file === file).flatMap(({ uses, steps = [] }) => [uses, ...steps.map(({ run }) => run)])
    expect(commands('test.yml')).toContain('.ci/run')
    expect(commands('publish.yml')).toContain(`./${FOLDER}/test.yml`)
    expect(existsSync(join(repository, '.ci/run'))).toBe(true)
  })

  it('every script that a workflow or the gate runs exists', () => {
    const text = [...workflows.map(({ file }) => join(FOLDER, file)), '.ci/run']
      .map((file) => readFileSync(join(repository, file), 'utf8'))
      .join('\n')
    const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
    for (const [, name = ''] of text.matchAll(/npm run (?:--\S+ )*([\w:-]+)/g)) expect(scripts).toHaveProperty([name])
  })

  it('every suite that a workflow, the gate or a page of the repository names exists', async () => {
    const { printed } = await finish(process.execPath, ['--import', 'tsx', 'test/suites/index.ts'], repository)
    const suites = [...printed.matchAll(/^(\w+) +\d+ min/gm)].map(([, name]) => name)
    const weekly: { test: { strategy: { matrix: { suite: string[] } } } } = parse(
      readFileSync(join(repository, FOLDER, 'weekly.yml'), 'utf8'),
    ).jobs
    const pages = [
      'CONTRIBUTING.md',
      'docs/maintaining.md',
      'AGENTS.md',
      'test/README.md',
      'examples/README.md',
      'docs/adding-an-operation.md',
    ]
    const text = [...pages, '.ci/run'].map((file) => readFileSync(join(repository, file), 'utf8')).join('\n')
    const named = [...text.matchAll(/npm run suite -- (\w+)/g)].map(([, name]) => name)
    const run = weekly.test.strategy.matrix.suite.map((each) => each.split(' ')[0])
    expect(named).not.toEqual([])
    for (const name of [...named, ...run]) if (name !== 'NAME') expect(suites).toContain(name)
  })
})

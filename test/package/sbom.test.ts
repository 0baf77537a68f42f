import { expect, it } from 'vitest'
import { makeSbom } from '../../scripts/sbom.js'
import { repository } from '../support/project.js'
import { dependencyNames, NAME } from './consumer.js'

it('the SBOM lists exactly the run-time dependencies, each with license and digest, the same every time', async () => {
  const [sbom, again] = await Promise.all([makeSbom(repository), makeSbom(repository)])
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: NAME } } })
  expect(sbom.components.map(({ name }) => name).sort()).toEqual(dependencyNames(repository).sort())
  for (const component of sbom.components)
    expect(component).toMatchObject({ licenses: [{ license: { id: 'MIT' } }], hashes: [{ alg: 'SHA-512' }] })
  expect(JSON.stringify(sbom)).not.toContain(repository)
  expect(again).toEqual(sbom)
})

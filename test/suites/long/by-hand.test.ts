import { expect, it } from 'vitest'
import { binary, finish, repository } from '../../support/project.js'

it('Spectral and Redocly report nothing, for the source and for the bundle, when they are run by hand', async () => {
  const spectral = await finish(
    binary('spectral'),
    ['lint', 'openapi/openapi.yaml', 'generated/openapi.yaml'],
    repository,
  )
  expect(spectral.printed).toContain("No results with a severity of 'error' found!")
  const redocly = await finish(binary('redocly'), ['lint', 'contract', 'generated/openapi.yaml'], repository)
  expect(redocly.printed).toContain('Your API descriptions are valid')
})

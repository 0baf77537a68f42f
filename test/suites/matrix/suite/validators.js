import { examples } from '@workflow-automation/contract/examples'
import { validateRequest, validateResponse } from '@workflow-automation/contract/validators'
import { check } from './check.js'

const problemsOf = (operation, status, body) => {
  if (status === 'request') return validateRequest(operation, { path: { id: 'pb_1' }, body })
  const headers = 'retry_after' in body ? { 'retry-after': `${body.retry_after}` } : {}
  return validateResponse(operation, { status: Number(status), headers, body })
}

export const validatorCases = {
  'a validator accepts every example of the contract'() {
    let count = 0
    for (const [operation, statuses] of Object.entries(examples))
      for (const [status, named] of Object.entries(statuses))
        for (const body of Object.values(named)) {
          check.same(problemsOf(operation, status, body), [])
          count++
        }
    check.ok(count > 20, `only ${count} examples`)
  },
  'a validator reads headers whatever their case'() {
    const headers = new Headers({ authorization: 'Bearer key', 'service-version': 'soon' })
    check.same(
      validateRequest('listProviders', { headers }).map(({ name }) => name.toLowerCase()),
      ['service-version'],
    )
  },
}

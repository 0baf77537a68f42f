import { plans } from '../../generated/operations.js'

/** How a message names the limits that can be given. */
export const limitForms = (): string => {
  const names = Object.entries(plans).flatMap(([id, { apiAccess }]) => (apiAccess ? `'${id}'` : []))
  return `${names.join(', ')} or { requestsPerMinute, burst }`
}

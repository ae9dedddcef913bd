import { parse } from 'tldts'

/** Whether everybody can have a name below this one, as below `co.uk` or `github.io`. */
export function isSharedDomain(hostname: string): boolean {
  const { domain, isIp } = parse(hostname, { allowPrivateDomains: true })
  return domain === null || isIp === true
}

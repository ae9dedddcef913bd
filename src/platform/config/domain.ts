import { parse } from 'tldts'

/** Whether a host name is this domain, or below it. */
export function isWithin(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`)
}

/** Whether everybody can have a name below this one, as below `co.uk` or `github.io`. */
export function isSharedDomain(hostname: string): boolean {
  const { domain, isIp } = parse(hostname, { allowPrivateDomains: true })
  return domain === null || isIp === true
}

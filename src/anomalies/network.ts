import { subnetOf } from '../http/network.js'

/**
 * The network of an address in CIDR form: IPv4 /24, what one office or provider hands out at a time; IPv6
 * /48, the most that one site is given (RFC 6177). Attempt limits use the same networks for familiar clients.
 * A text that is not an address gives `unknown`.
 */
export function networkOf(address: string): string {
  return subnetOf(address)
}

/** 4 or 6 for an address or a result of {@link networkOf}; null otherwise. */
export function addressFamily(addressOrNetwork: string): 4 | 6 | null {
  const network = networkOf(networkAddress(addressOrNetwork))
  if (network === 'unknown') return null
  return network.includes(':') ? 6 : 4
}

/** The first address of a network in CIDR form; an address is its own. */
export function networkAddress(network: string): string {
  return network.split('/')[0] as string
}

import { isIP } from 'node:net'

/** Some proxies append the port of the connection, which changes every time. */
const WITH_PORT = /^(?:\[(?<v6>[^\]]+)\](?::\d+)?|(?<v4>\d+(?:\.\d+){3}):\d+)$/
const IPV4_IN_IPV6 = /^::ffff:(?=\d+\.)/i

/** The address alone, without port, brackets, and the prefix of an IPv4 address in IPv6. Other text stays as it is. */
export function addressWithoutPort(text: string): string {
  const { v4, v6 } = WITH_PORT.exec(text)?.groups ?? {}
  return (v4 ?? v6 ?? text).replace(IPV4_IN_IPV6, '')
}

/**
 * Who counts as one client: an IPv4 address, or an IPv6 /64, within which anybody has 2^64 addresses
 * (CVE-2026-45364). All notations of an address give the same text, including IPv4 in IPv6. Everything that
 * is not an address counts as one client.
 */
export function clientNetworkOf(address: string): string {
  return prefixOf(address, { ipv4Bytes: 4, ipv6Bytes: 8 })
}

/**
 * The IPv6 /56 of an address, which is what a home usually gets (RFC 6177); null for IPv4 and for anything
 * that is not an address.
 */
export function blockOf(address: string): string | null {
  const block = prefixOf(address, { ipv4Bytes: 4, ipv6Bytes: 7 })
  return block.includes(':') ? block : null
}

/**
 * The subnet of an address: IPv4 /24, what one office or provider typically assigns from; IPv6 /48, the most
 * that one site gets (RFC 6177). Known clients are recognised by it, and share a counter with everybody else
 * in it.
 */
export function subnetOf(address: string): string {
  return prefixOf(address, { ipv4Bytes: 3, ipv6Bytes: 6 })
}

/** The first address of a network in CIDR form; an address is its own. */
export function firstAddressOf(network: string): string {
  return network.split('/')[0] as string
}

/** 4 or 6 for an address or a network in CIDR form; null otherwise. */
export function addressFamily(addressOrNetwork: string): 4 | 6 | null {
  const subnet = subnetOf(firstAddressOf(addressOrNetwork))
  if (subnet === 'unknown') return null
  return subnet.includes(':') ? 6 : 4
}

function prefixOf(address: string, { ipv4Bytes, ipv6Bytes }: { ipv4Bytes: number; ipv6Bytes: number }) {
  // Sessions and audit entries of earlier versions may still contain ports.
  const ip = addressWithoutPort(address)
  const family = isIP(ip)
  if (family === 0) return 'unknown'
  const groups = family === 6 ? groupsOf(ip) : []
  const bytes = family === 4 ? ip.split('.').map(Number) : packedIpv4(groups)
  if (bytes) return `${bytes.map((byte, index) => (index < ipv4Bytes ? byte : 0)).join('.')}/${8 * ipv4Bytes}`
  const prefix = groups.slice(0, Math.ceil(ipv6Bytes / 2)).map((group, index) => {
    const isCutInHalf = 2 * index + 1 === ipv6Bytes
    return (isCutInHalf ? group & 0xff00 : group).toString(16)
  })
  return `${prefix.join(':')}::/${8 * ipv6Bytes}`
}

/** The eight groups of an IPv6 address. */
function groupsOf(ip: string): number[] {
  const canonical = new URL(`http://[${ip.replace(/%.*$/, '')}]`).hostname.slice(1, -1)
  const [left = [], right = []] = canonical.split('::').map(part => part.split(':').filter(Boolean))
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].map(group => Number.parseInt(group, 16))
}

/** The bytes of `::ffff:a.b.c.d` (RFC 4291 §2.5.5.2); null for every other address. */
function packedIpv4(groups: readonly number[]): number[] | null {
  const isPacked = groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff
  return isPacked ? groups.slice(6).flatMap(group => [group >> 8, group & 0xff]) : null
}

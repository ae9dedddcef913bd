import { describe, expect, it } from '@jest/globals'
import { pagePolicy, pageWith } from '../../dev/web-sites/page.js'

const BUILT = ['api', 'main', 'satellites'].map(name => `<meta name="mainstay-${name}" content="">`).join('')
const PLACES = {
  apiUrl: 'https://api.main.test',
  mainUrl: 'https://www.main.test',
  satellites: new Set(['https://shop-one.test', 'https://shop-two.test']),
}

describe('pageWith', () => {
  it('tells the page its places', () => {
    expect(pageWith(BUILT, PLACES)).toBe(
      '<meta name="mainstay-api" content="https://api.main.test">' +
        '<meta name="mainstay-main" content="https://www.main.test">' +
        '<meta name="mainstay-satellites" content="https://shop-one.test https://shop-two.test">',
    )
  })

  it('keeps a value within its attribute', () => {
    const page = pageWith(BUILT, { ...PLACES, satellites: ['"><script>$&'] })
    expect(page).not.toContain('<script')
    expect(page.split('content="').length).toBe(4)
  })

  it('throws for a page that has no place for them', () => {
    expect(() => pageWith('<html></html>', PLACES)).toThrow('mainstay-api')
  })
})

it('the policy of the pages allows nothing inline, and calls to the site and the API alone', () => {
  const policy = pagePolicy(PLACES)
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("connect-src 'self' https://api.main.test;")
  expect(policy).not.toContain('unsafe')
  expect(pagePolicy({ ...PLACES, apiUrl: '' })).toContain("connect-src 'self';")
})

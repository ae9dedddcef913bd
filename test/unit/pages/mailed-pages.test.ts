import { readFileSync } from 'node:fs'
import { expect, it } from '@jest/globals'
import { MAILED_PAGES, PAGE_PATHS } from '../../sources.js'

it('has a page for every link in a mail, and docs/operations/serving.md names them all for other pages', () => {
  const [sentence = ''] = /Mails link to [^:]*/.exec(readFileSync('docs/operations/serving.md', 'utf8')) ?? []
  const named = [...sentence.matchAll(/`(\/[a-z-]+)`/g)].map(([, page]) => page)
  expect(named.sort()).toEqual([...MAILED_PAGES].sort())
  expect(PAGE_PATHS.main).toEqual(expect.arrayContaining([...MAILED_PAGES]))
})

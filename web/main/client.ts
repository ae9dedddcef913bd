import { mainClient } from '@mainstay-auth/client'
import { fetchInLanguage } from '../pieces/language/fetch-in-language.js'
import { site } from '../pieces/site/site.js'

export const client = mainClient({ baseUrl: site.apiUrl, fetch: fetchInLanguage })

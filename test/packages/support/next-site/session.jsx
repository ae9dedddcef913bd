'use client'
import { itemStorage, satelliteClient } from '@mainstay-auth/client'
import { MainstayProvider } from '@mainstay-auth/react'

const client = satelliteClient({
  baseUrl: 'https://auth.example.com',
  storage: itemStorage(() => localStorage),
})

export function Session({ children }) {
  return <MainstayProvider client={client}>{children}</MainstayProvider>
}

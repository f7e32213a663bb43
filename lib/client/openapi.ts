// Generated from docs/openapi.json and docs/asyncapi.json by `npm run documents`. Do not edit.
export interface components {
    schemas: {
        Subscribe: {
            /** @constant */
            type: "subscribe";
            id?: string | number;
            channels: string[];
        };
        Unsubscribe: {
            /** @constant */
            type: "unsubscribe";
            id?: string | number;
            channels: string[];
        };
        Ping: {
            /** @constant */
            type: "ping";
            id?: string | number;
        };
        /** @description Every channel to which the connection is now subscribed. */
        Subscriptions: {
            /** @constant */
            type: "subscriptions";
            id?: string | number;
            channels: ("orders" | "positions" | "prices")[];
            /** Format: date-time */
            time: string;
        };
        Order: {
            orderId: string;
            wallet: string;
            /** @enum {string} */
            chain: "eth" | "base" | "sol" | "bsc" | "avax";
            symbol: string;
            /** @description The address of the traded token */
            token?: string;
            /** @description True if it is final on chain */
            settled?: boolean;
            /** @enum {string} */
            side: "buy" | "sell";
            /** @enum {string} */
            type: "market" | "limit" | "stop" | "stop_limit" | "take_profit";
            /** @enum {string} */
            status: "open" | "partially_filled" | "filled" | "cancelled" | "rejected" | "expired";
            /** @description A decimal number as text */
            amount: string;
            /** @description A decimal number as text */
            filledAmount: string;
            /** @description A decimal number as text */
            price?: string;
            /** @description A decimal number as text */
            stopPrice?: string;
            /** @description A decimal number as text */
            averagePrice?: string;
            txHash?: string;
            reason?: string;
            /** @description The Idempotency-Key of the request that placed it */
            clientOrderId?: string;
            /** @description The unit of `amount`: a token's address, or `native` */
            amountToken?: string;
            /** @description The requested percentage of the balance */
            percent?: number;
            /** @description The amount that reached the wallet */
            receivedAmount?: string;
            /** @description The lowest amount that may arrive */
            minAmountOut?: string;
            /** @description Percent */
            slippage?: number;
            /** @description Native coin paid for all of its transactions so far */
            networkFee?: string;
            /** @enum {string} */
            stage?: "queued" | "waiting" | "approving" | "sent" | "cancelling" | "done";
            /**
             * @description Why it waits, or ended without a fill
             * @enum {string}
             */
            reasonCode?: "AMOUNT_TOO_SMALL" | "CANCELLED_BY_USER" | "CHAIN_UNAVAILABLE" | "GAS_PRICE_TOO_HIGH" | "INSUFFICIENT_BALANCE" | "NONCE_TAKEN" | "NOT_INCLUDED" | "NO_ROUTE" | "POLICY_LIMIT" | "RELAY_UNAVAILABLE" | "REVERTED" | "SIGNING_REFUSED" | "SLIPPAGE_EXCEEDED" | "TRADING_DISABLED" | "WALLET_BUSY" | "WALLET_RETIRED";
            /**
             * Format: date-time
             * @description The order cannot fill after this time
             */
            validUntil?: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            version: number;
        };
        OrdersSnapshot: {
            /** @constant */
            type: "snapshot";
            /** @constant */
            channel: "orders";
            /**
             * @description Another snapshot of this channel follows.
             * @constant
             */
            more?: true;
            /** Format: date-time */
            time: string;
            data: components["schemas"]["Order"][];
        };
        Position: {
            positionId: string;
            wallet: string;
            /** @enum {string} */
            chain: "eth" | "base" | "sol" | "bsc" | "avax";
            symbol: string;
            /** @description The address of the traded token */
            token?: string;
            /** @description True if it is final on chain */
            settled?: boolean;
            /** @enum {string} */
            status: "open" | "closed";
            /** @description A decimal number as text */
            amount: string;
            /** @description A decimal number as text */
            averageEntryPrice: string;
            /** @description A decimal number as text */
            realizedPnl: string;
            /** Format: date-time */
            closedAt?: string;
            /** @description Native coin paid for `amount` */
            cost?: string;
            /** @description Native coin paid for the transactions of its orders */
            networkFees?: string;
            /** @description Tokens that left the wallet without an order */
            movedOut?: string;
            /** Format: date-time */
            openedAt: string;
            /** Format: date-time */
            updatedAt: string;
            version: number;
        };
        PositionsSnapshot: {
            /** @constant */
            type: "snapshot";
            /** @constant */
            channel: "positions";
            /**
             * @description Another snapshot of this channel follows.
             * @constant
             */
            more?: true;
            /** Format: date-time */
            time: string;
            data: components["schemas"]["Position"][];
        };
        Price: {
            /** @enum {string} */
            chain: "eth" | "base" | "sol" | "bsc" | "avax";
            /** @enum {string} */
            symbol: "ETH" | "SOL" | "BNB" | "AVAX";
            price: string;
            /** @constant */
            currency: "USD";
            source: string;
            /** Format: date-time */
            asOf: string;
        };
        PricesSnapshot: {
            /** @constant */
            type: "snapshot";
            /** @constant */
            channel: "prices";
            /**
             * @description Another snapshot of this channel follows.
             * @constant
             */
            more?: true;
            /** Format: date-time */
            time: string;
            data: components["schemas"]["Price"][];
        };
        OrdersUpdate: {
            /** @constant */
            type: "update";
            /** @constant */
            channel: "orders";
            /** Format: date-time */
            time: string;
            data: components["schemas"]["Order"][];
        };
        PositionsUpdate: {
            /** @constant */
            type: "update";
            /** @constant */
            channel: "positions";
            /** Format: date-time */
            time: string;
            data: components["schemas"]["Position"][];
        };
        PricesUpdate: {
            /** @constant */
            type: "update";
            /** @constant */
            channel: "prices";
            /** Format: date-time */
            time: string;
            data: components["schemas"]["Price"][];
        };
        TradingSettingsUpdated: {
            /** @constant */
            type: "TradingSettingsUpdated";
            /** Format: date-time */
            time: string;
            data: {
                /** @enum {string} */
                chain: "eth" | "base" | "sol";
                version: number;
                settings: {
                    /** @description Percent */
                    slippage: number;
                    /** @enum {string} */
                    gasPreset: "slow" | "medium" | "fast" | "turbo";
                    /** @description Gwei */
                    maxGasPrice: number;
                    mevProtection: boolean;
                    autoBuy: boolean;
                    autoSell: boolean;
                } | {
                    /** @description Percent */
                    slippage: number;
                    /** @description SOL */
                    priorityFee: number;
                    mevProtection: boolean;
                    autoBuy: boolean;
                    autoSell: boolean;
                };
            };
        };
        WalletsUpdated: {
            /** @constant */
            type: "WalletsUpdated";
            /** Format: date-time */
            time: string;
            data: {
                wallets: {
                    _id: string;
                    UserID: string;
                    generatedWalletAddress: string;
                    slotName: string;
                    /** @enum {string} */
                    colortag: "blue" | "green" | "orange" | "purple" | "red" | "teal" | "yellow" | "pink";
                    /** @enum {string} */
                    network: "eth" | "base" | "sol" | "bsc" | "avax";
                    /** @enum {string} */
                    walletType: "generated" | "imported";
                    /** Format: date-time */
                    createdAt: string;
                    version: number;
                    /** @enum {string} */
                    state: "active" | "retired";
                }[];
            };
        };
        WalletExportRequested: {
            /** @constant */
            type: "WalletExportRequested";
            /** Format: date-time */
            time: string;
            data: {
                walletId: string;
                /** Format: date-time */
                availableAt: string;
                version: number;
            };
        };
        Redemption: {
            redemptionId: string;
            rewardId: string;
            /** @description The reward's name at the time of purchase */
            name: string;
            /** @description The points that were paid */
            cost: number;
            /**
             * @description The points of a refunded redemption have been given back
             * @enum {string}
             */
            status: "pending" | "fulfilled" | "refunded";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description Grows with each change */
            version: number;
        };
        RewardRedeemed: {
            /** @constant */
            type: "RewardRedeemed";
            /** Format: date-time */
            time: string;
            data: {
                redemption: components["schemas"]["Redemption"];
            };
        };
        Pong: {
            /** @constant */
            type: "pong";
            id?: string | number;
            /** Format: date-time */
            time: string;
        };
        ErrorMessage: {
            /** @constant */
            type: "error";
            id?: string | number;
            /** @enum {string} */
            code: "INVALID_JSON" | "INVALID_MESSAGE" | "UNKNOWN_TYPE" | "UNKNOWN_CHANNEL" | "NOT_CONNECTED" | "RATE_LIMITED" | "INTERNAL_ERROR";
            message: string;
        };
        ImportWallet: {
            /** @enum {string} */
            network: "eth" | "base" | "sol" | "bsc" | "avax";
            /** @description Hex for EVM networks, base58 for Solana. Never returned, never logged. */
            privateKey: string;
        };
        Message: {
            message: string;
        };
        Unauthorized: {
            error: string;
            /** @constant */
            needsRefresh?: true;
        };
        Error: {
            error: string;
        };
        Wallet: {
            _id: string;
            UserID: string;
            generatedWalletAddress: string;
            slotName: string;
            /** @enum {string} */
            colortag: "blue" | "green" | "orange" | "purple" | "red" | "teal" | "yellow" | "pink";
            /** @enum {string} */
            network: "eth" | "base" | "sol" | "bsc" | "avax";
            /** @enum {string} */
            walletType: "generated" | "imported";
            /** Format: date-time */
            createdAt: string;
        };
        PagedWallet: {
            _id: string;
            UserID: string;
            generatedWalletAddress: string;
            slotName: string;
            /** @enum {string} */
            colortag: "blue" | "green" | "orange" | "purple" | "red" | "teal" | "yellow" | "pink";
            /** @enum {string} */
            network: "eth" | "base" | "sol" | "bsc" | "avax";
            /** @enum {string} */
            walletType: "generated" | "imported";
            /** Format: date-time */
            createdAt: string;
            /** @description Grows with each change, as on the stream. Present only if the request has a parameter. */
            version?: number;
        };
        EnvelopeError: {
            /** @constant */
            code: "INVALID_REQUEST";
            message: string;
            details?: {
                field: string;
            };
        } | {
            /** @constant */
            code: "IDEMPOTENCY_KEY_MISSING";
            message: string;
            details: {
                field: string;
            };
        } | {
            /** @constant */
            code: "IDEMPOTENCY_KEY_REUSED";
            message: string;
            details: {
                orderId: string;
            } | {
                walletId: string;
            } | {
                redemptionId: string;
            };
        } | {
            /** @constant */
            code: "UNSUPPORTED_CHAIN";
            message: string;
            details: {
                chains: ("eth" | "base" | "sol" | "bsc" | "avax")[];
            };
        } | {
            /** @constant */
            code: "INSUFFICIENT_BALANCE";
            message: string;
            details: {
                token: string;
                symbol: string;
                needed: string;
                available: string;
            };
        } | {
            /** @constant */
            code: "INSUFFICIENT_POINTS";
            message: string;
            details: {
                needed: number;
                available: number;
            };
        } | {
            /** @constant */
            code: "POLICY_LIMIT";
            message: string;
            details: {
                limit: string;
                requested: string;
            };
        } | {
            /** @constant */
            code: "EXPORT_LIMIT_REACHED";
            message: string;
            details: {
                limit: number;
            };
        } | {
            /** @constant */
            code: "PRICE_IMPACT_TOO_HIGH";
            message: string;
            details: {
                priceImpact: number;
                limit: number;
            };
        } | {
            /** @constant */
            code: "GAS_PRICE_TOO_HIGH";
            message: string;
            details: {
                gasPrice: string;
                limit: string;
            };
        } | {
            /** @constant */
            code: "TOKEN_UNSAFE";
            message: string;
            details: {
                flags: ("NOT_LISTED" | "IMPERSONATES" | "ODD_METADATA" | "TAXED" | "TRANSFER_LOSS" | "CANNOT_SELL" | "SELLABILITY_UNKNOWN" | "LOW_LIQUIDITY")[];
                buyTax: number | null;
                sellTax: number | null;
            };
        } | {
            /** @constant */
            code: "ORDER_NOT_CANCELLABLE";
            message: string;
            details: {
                /** @enum {string} */
                status: "open" | "partially_filled" | "filled" | "cancelled" | "rejected" | "expired";
            };
        } | {
            /** @enum {string} */
            code: "INVALID_PRIVATE_KEY" | "UNKNOWN_IMPORT_KEY" | "INVALID_CIPHERTEXT" | "INVALID_SETTING" | "NO_ROUTE" | "AMOUNT_TOO_SMALL" | "WALLET_LIMIT_REACHED" | "TRADING_DISABLED" | "EXPORT_DISABLED" | "WALLET_NOT_FOUND" | "EXPORT_NOT_FOUND" | "TOKEN_NOT_FOUND" | "ORDER_NOT_FOUND" | "REWARD_NOT_FOUND" | "ADDRESS_MISMATCH" | "WALLET_BUSY" | "REWARD_UNAVAILABLE" | "OUT_OF_STOCK" | "PRECONDITION_FAILED" | "UNSUPPORTED_MEDIA_TYPE" | "INTERNAL_ERROR" | "CHAIN_UNAVAILABLE" | "REWARD_BUSY";
            message: string;
        };
        ErrorEnvelope: {
            /** @constant */
            success: false;
            error: components["schemas"]["EnvelopeError"];
            /** Format: date-time */
            timestamp: string;
        };
        ImportKey: {
            /** @description The SHA-256 of the key's SubjectPublicKeyInfo, in base64url */
            keyId: string;
            /** @constant */
            kem: "DHKEM(P-256, HKDF-SHA256)";
            /** @constant */
            kdf: "HKDF-SHA256";
            /** @constant */
            aead: "AES-256-GCM";
            /** @description The uncompressed point, 65 bytes, in base64url */
            publicKey: string;
        };
        ImportSealedWallet: {
            /** @enum {string} */
            network: "eth" | "base" | "sol" | "bsc" | "avax";
            /** @description The id of the key to which the private key is sealed */
            keyId: string;
            /** @description HPKE's encapsulated key: an uncompressed point */
            enc: string;
            /** @description The sealed private key: 32 bytes for EVM networks, 64 for Solana or 32 of its seed */
            ciphertext: string;
            /** @description Rejects the key of another address */
            expectedAddress?: string;
            slotName?: string | null;
            colortag?: ("blue" | "green" | "orange" | "purple" | "red" | "teal" | "yellow" | "pink") | null;
        };
        CreateWallet: {
            /** @enum {string} */
            network: "eth" | "base" | "sol" | "bsc" | "avax";
            slotName?: string | null;
            colortag?: ("blue" | "green" | "orange" | "purple" | "red" | "teal" | "yellow" | "pink") | null;
        };
        RestoreWallet: Record<string, never>;
        /** @description Limits on the wallet's buys. Sales are never limited. */
        WalletPolicy: {
            /** @description Decimal text, exact to the last unit */
            maxPerOrder?: string;
            /** @description Per day in UTC */
            maxPerDay?: string;
            tokens: "any" | string[];
            tradingEnabled: boolean;
        };
        /** @description `renamed` has the changed fields, with `null` where the default was restored. `policyChanged` has the policy in force and the pending one. `exportRequested` has the time from which the export is possible. */
        WalletEvent: {
            /** @enum {string} */
            type: "created" | "imported" | "renamed" | "policyChanged" | "retired" | "restored" | "exportRequested" | "exportCancelled" | "exported";
            /** Format: date-time */
            time: string;
            slotName?: string | null;
            colortag?: ("blue" | "green" | "orange" | "purple" | "red" | "teal" | "yellow" | "pink") | null;
            policy?: components["schemas"]["WalletPolicy"];
            pending?: {
                policy: components["schemas"]["WalletPolicy"];
                /** Format: date-time */
                effectiveAt: string;
            };
            /** Format: date-time */
            availableAt?: string;
        };
        /** @description Only the fields to change. `null` restores the default, which follows from the wallet's slot. */
        UpdateWallet: {
            slotName?: string | null;
            colortag?: ("blue" | "green" | "orange" | "purple" | "red" | "teal" | "yellow" | "pink") | null;
        };
        /** @description Replaces the whole policy: an omitted limit is removed. Amounts are in the network's coin, without network fees. */
        GivenPolicy: {
            /** @description A decimal number as text, in whole coins or tokens */
            maxPerOrder?: string;
            /** @description A decimal number as text, in whole coins or tokens */
            maxPerDay?: string;
            /** @default any */
            tokens: "any" | string[];
            tradingEnabled: boolean;
        };
        /** @description The public key, as a JWK, to which the private key is sealed. Send the same one again after the delay. */
        ExportWallet: {
            publicKey: {
                d?: unknown;
                /** @constant */
                kty: "EC";
                /** @constant */
                crv: "P-256";
                /** @description A coordinate, 32 bytes in base64url */
                x: string;
                /** @description A coordinate, 32 bytes in base64url */
                y: string;
                alg?: string;
                ext?: boolean;
                key_ops?: string[];
                kid?: string;
                use?: string;
            };
        };
        StartSession: Record<string, never>;
        /** @description Only the settings to change. eth and base have gasPreset and maxGasPrice; sol has priorityFee. All chains have the others. */
        TradingSettingsPatch: {
            /** @description Percent */
            slippage?: number;
            /** @enum {string} */
            gasPreset?: "slow" | "medium" | "fast" | "turbo";
            /** @description Gwei */
            maxGasPrice?: number;
            /** @description SOL */
            priorityFee?: number;
            mevProtection?: boolean;
            autoBuy?: boolean;
            autoSell?: boolean;
        };
        EvmTradingSettings: {
            _id: string;
            userID: string;
            /** @description Percent */
            slippage: number;
            /** @enum {string} */
            gasPreset: "slow" | "medium" | "fast" | "turbo";
            /** @description Gwei */
            maxGasPrice: number;
            mevProtection: boolean;
            autoBuy: boolean;
            autoSell: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        SolanaTradingSettings: {
            _id: string;
            userID: string;
            /** @description Percent */
            slippage: number;
            /** @description SOL */
            priorityFee: number;
            mevProtection: boolean;
            autoBuy: boolean;
            autoSell: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        ProfileData: {
            _id: string;
            userID: string;
            username: string;
            /** @enum {string} */
            tier: "Base" | "Pro" | "Enterprise";
            Level: number;
            refID: string;
            Xp: {
                total: number;
                daily: number;
                weekly: number;
                monthly: number;
            };
            usersReferred: number;
            xpRemainingForNextLevel: number;
            tradeStreakCount: number;
            xpMultiplier: number;
            Ranked: boolean;
            viewedMessage: boolean;
            /** Format: date-time */
            lastVisited: string;
            tradingSettings: {
                ethereum: {
                    /** @description Percent */
                    slippage: number;
                    /** @enum {string} */
                    gasPreset: "slow" | "medium" | "fast" | "turbo";
                    /** @description Gwei */
                    maxGasPrice: number;
                    mevProtection: boolean;
                    autoBuy: boolean;
                    autoSell: boolean;
                };
                solana: {
                    /** @description Percent */
                    slippage: number;
                    /** @description SOL */
                    priorityFee: number;
                };
                base: {
                    /** @description Percent */
                    slippage: number;
                    /** @enum {string} */
                    gasPreset: "slow" | "medium" | "fast" | "turbo";
                    /** @description Gwei */
                    maxGasPrice: number;
                    mevProtection: boolean;
                    autoBuy: boolean;
                    autoSell: boolean;
                };
            };
        };
        /** @description `referrals` holds the newest 100, newest first. */
        ReferralData: {
            userID: string;
            username: string;
            refID: string;
            usersReferred: number;
            referredBy: string | null;
            referrals: {
                username: string;
                /** Format: date-time */
                joinedAt: string;
            }[];
        };
        Reward: {
            id: string;
            name: string;
            description: string;
            /** @enum {string} */
            type: "access" | "credits" | "education" | "merchandise";
            cost: number;
            available: boolean;
            /** Format: uri */
            imageUrl: string;
            /** @description -1 means unlimited */
            stock: number;
            userCanAfford: boolean;
        };
        RewardList: {
            /** @constant */
            success: true;
            data: {
                rewards: components["schemas"]["Reward"][];
            };
        };
        RedeemReward: Record<string, never>;
        Token: {
            /** @enum {string} */
            chain: "eth" | "base" | "bsc" | "avax";
            /** @description An address in EIP-55 form, or `native` */
            token: string;
            symbol: string;
            name: string;
            decimals: number;
            /** @constant */
            wrapped?: true;
        };
        Pool: {
            /** @enum {string} */
            venue: "uniswap-v2" | "pancakeswap-v2" | "uniswap-v3";
            /** @description In EIP-55 form */
            pool: string;
            feeBps: number;
            /** @description The native side */
            liquidity: string;
        };
        InspectedToken: {
            /** @enum {string} */
            chain: "eth" | "base" | "bsc" | "avax";
            /** @description In EIP-55 form */
            token: string;
            symbol: string;
            name: string;
            decimals: number;
            /** @constant */
            wrapped?: true;
            listed: boolean;
            /** @description null if unknown */
            sellable: boolean | null;
            /** @description Percent; null if unknown */
            buyTax: number | null;
            /** @description Percent; null if unknown */
            sellTax: number | null;
            flags: ("NOT_LISTED" | "IMPERSONATES" | "ODD_METADATA" | "TAXED" | "TRANSFER_LOSS" | "CANNOT_SELL" | "SELLABILITY_UNKNOWN" | "LOW_LIQUIDITY")[];
            /** @description The deepest pools first, at most 10 */
            pools: components["schemas"]["Pool"][];
            block: number;
            /** Format: date-time */
            asOf: string;
        };
        Balance: {
            /** @description In EIP-55 form */
            wallet: string;
            /** @description An address in EIP-55 form, or `native` */
            token: string;
            symbol: string;
            decimals: number;
            /** @description On chain */
            amount: string;
            /** @description The amount that open orders will spend, network fees included */
            reserved: string;
            /** @description The rest */
            available: string;
        };
        /** @description Exactly one of `amount` and `percent`. `percent` refers to the available balance and is for sales only. `slippage` or `minAmountOut`, not both. The user's settings of the chain replace absent fields. `percent` needs `wallet`. */
        QuoteRequest: {
            /** @enum {string} */
            chain: "eth" | "base" | "sol" | "bsc" | "avax";
            /** @description All lower case, all upper case, or with the right checksum */
            wallet?: string;
            /** @enum {string} */
            side: "buy" | "sell";
            /** @description All lower case, all upper case, or with the right checksum */
            token: string;
            /** @description A decimal number as text, in whole coins or tokens */
            amount?: string;
            /** @description Percent, with at most 4 decimal places */
            percent?: number;
            /** @description Percent, with at most 4 decimal places */
            slippage?: number;
            /** @description A decimal number as text, in whole coins or tokens */
            minAmountOut?: string;
            /** @description Percent, with at most 4 decimal places */
            maxPriceImpact?: number;
            /** @enum {string} */
            gasPreset?: "slow" | "medium" | "fast" | "turbo";
            /** @description Gwei */
            maxGasPrice?: number;
            mevProtection?: boolean;
            allowUnsafe?: boolean;
        };
        RouteStep: {
            /** @enum {string} */
            venue: "uniswap-v2" | "pancakeswap-v2" | "uniswap-v3";
            /** @description In EIP-55 form */
            pool: string;
            feeBps: number;
        };
        Quote: {
            /** @enum {string} */
            chain: "eth" | "base" | "bsc" | "avax";
            /** @description In EIP-55 form */
            wallet?: string;
            /** @enum {string} */
            side: "buy" | "sell";
            /** @description In EIP-55 form */
            token: string;
            symbol: string;
            /** @description Decimal text, exact to the last unit */
            amount: string;
            /** @description An address in EIP-55 form, or `native` */
            amountToken: string;
            /** @description Percent */
            percent?: number;
            /** @description After pool fees and token taxes */
            amountOut: string;
            /** @description Decimal text, exact to the last unit */
            minAmountOut: string;
            /** @description Percent */
            slippage?: number;
            /** @description Native coin for one token */
            price: string;
            /** @description Percent */
            priceImpact: number;
            route: components["schemas"]["RouteStep"][];
            /** @description null if unknown */
            sellable: boolean | null;
            /** @description Percent; null if unknown */
            buyTax: number | null;
            /** @description Percent; null if unknown */
            sellTax: number | null;
            flags: ("NOT_LISTED" | "IMPERSONATES" | "ODD_METADATA" | "TAXED" | "TRANSFER_LOSS" | "CANNOT_SELL" | "SELLABILITY_UNKNOWN" | "LOW_LIQUIDITY")[];
            /** @description True if one of the transactions is an approval */
            approval: boolean;
            /** @description Native coin for the transactions still needed */
            networkFee: {
                /** @description Decimal text, exact to the last unit */
                expected: string;
                /** @description Decimal text, exact to the last unit */
                max: string;
                /** @description The part paid for layer 1 */
                l1: string;
            };
            balances?: {
                /** @description An address in EIP-55 form, or `native` */
                token: string;
                symbol: string;
                /** @description Decimal text, exact to the last unit */
                needed: string;
                /** @description Decimal text, exact to the last unit */
                available: string;
                enough: boolean;
            }[];
            /** @enum {string} */
            submission: "private" | "sequencer" | "public";
            warnings: ("MEV_UNPROTECTED" | "NO_GAS_TO_SELL" | "FEE_ABOVE_VALUE" | "SLIPPAGE_HIGH")[];
            wouldBeRefused?: components["schemas"]["EnvelopeError"];
            block: number;
            /** Format: date-time */
            asOf: string;
            /** Format: date-time */
            validUntil: string;
        };
        /** @description Exactly one of `amount` and `percent`. `percent` refers to the available balance and is for sales only. `slippage` or `minAmountOut`, not both. The user's settings of the chain replace absent fields. `maxPriceImpact` is 15 by default. With `dryRun` nothing is recorded, and no key is needed. */
        PlaceOrder: {
            /** @enum {string} */
            chain: "eth" | "base" | "sol" | "bsc" | "avax";
            /** @description All lower case, all upper case, or with the right checksum */
            wallet: string;
            /** @constant */
            type: "market";
            /** @enum {string} */
            side: "buy" | "sell";
            /** @description All lower case, all upper case, or with the right checksum */
            token: string;
            /** @description A decimal number as text, in whole coins or tokens */
            amount?: string;
            /** @description Percent, with at most 4 decimal places */
            percent?: number;
            /** @description Percent, with at most 4 decimal places */
            slippage?: number;
            /** @description A decimal number as text, in whole coins or tokens */
            minAmountOut?: string;
            /** @description Percent, with at most 4 decimal places */
            maxPriceImpact?: number;
            /** @enum {string} */
            gasPreset?: "slow" | "medium" | "fast" | "turbo";
            /** @description Gwei */
            maxGasPrice?: number;
            mevProtection?: boolean;
            allowUnsafe?: boolean;
            /** @description 120 by default, or 600 if gasPreset is slow */
            validForSeconds?: number;
            dryRun?: boolean;
        };
        CancelOrder: Record<string, never>;
        Attempt: {
            attempt: number;
            /** @enum {string} */
            purpose: "approve" | "swap" | "clear";
            nonce: number;
            txHash: string;
            /** @description Gwei */
            maxFeePerGas: string;
            /** @description Gwei */
            maxPriorityFeePerGas: string;
            gasLimit: number;
            /**
             * @description Through a relay; directly to the sequencer, since the chain has no public pool; or through a public pool
             * @enum {string}
             */
            submission: "private" | "sequencer" | "public";
            /** Format: date-time */
            sentAt?: string;
            /** @enum {string} */
            outcome: "pending" | "mined" | "reverted" | "replaced";
        };
        /** @description The result of a filled order, from its receipts */
        OrderReport: {
            spent: {
                /** @description An address in EIP-55 form, or `native` */
                token: string;
                /** @description Decimal text, exact to the last unit */
                amount: string;
            };
            received: {
                /** @description An address in EIP-55 form, or `native` */
                token: string;
                /** @description Decimal text, exact to the last unit */
                amount: string;
            };
            /** @description Decimal text, exact to the last unit */
            quotedAmountOut: string;
            /** @description Percent; negative if more arrived than was quoted */
            slippage: number;
            /** @description Percent */
            priceImpact?: number;
            networkFee: {
                /** @description Decimal text, exact to the last unit */
                total: string;
                /** @description Decimal text, exact to the last unit */
                swap: string;
                /** @description Decimal text, exact to the last unit */
                approve: string;
                /** @description Decimal text, exact to the last unit */
                clear: string;
                /** @description Decimal text, exact to the last unit */
                l1: string;
            };
            gasUsed: number;
            /** @description Gwei */
            effectiveGasPrice: string;
            /**
             * @description Through a relay; directly to the sequencer, since the chain has no public pool; or through a public pool
             * @enum {string}
             */
            submission: "private" | "sequencer" | "public";
            block: number;
            /** Format: date-time */
            blockTime: string;
            /** @description Tokens that the router may still take */
            approvalLeft: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The user's plan, and its number of requests per period in seconds: `"standard";q=1000;w=60`. Responses of functions have it, including errors. */
        "RateLimit-Policy": string;
    };
    pathItems: never;
}
export interface operations {
    storeWallet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "network": "eth",
                 *       "privateKey": "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
                 *     }
                 */
                "application/json": components["schemas"]["ImportWallet"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    listWallets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wallet"][];
                };
            };
        };
    };
    listWalletsV2: {
        parameters: {
            query?: {
                /** @example eth */
                network?: "eth" | "base" | "sol" | "bsc" | "avax";
                /**
                 * @description The most records of a page, 1 to 100. A page may have fewer even if more follow. 50 if only another parameter is given.
                 * @example 20
                 */
                limit?: string;
                /** @description The cursor of the page before. All other parameters must stay the same */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            wallets: components["schemas"]["PagedWallet"][];
                            /** @description Absent on the last page */
                            cursor?: string;
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    createWallet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description 1 to 255 printable ASCII characters, bare or as a quoted string. A key makes only one wallet of a user, ever.
                 * @example first-wallet
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "network": "eth",
                 *       "slotName": "Sniper",
                 *       "colortag": "pink"
                 *     }
                 */
                "application/json": components["schemas"]["CreateWallet"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description `true` if the key made the wallet before. The response shows its current state. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            wallet: components["schemas"]["Wallet"];
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    listImportKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            keys: components["schemas"]["ImportKey"][];
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    importWallet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description 1 to 255 printable ASCII characters, bare or as a quoted string. A key imports only one wallet of a user, ever. It is the additional data of the sealed key.
                 * @example sealed-1
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "network": "eth",
                 *       "keyId": "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg",
                 *       "enc": "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU",
                 *       "ciphertext": "q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWeJ",
                 *       "slotName": "Vault"
                 *     }
                 */
                "application/json": components["schemas"]["ImportSealedWallet"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description `true` if the key imported the wallet before. The response shows its current state. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            wallet: components["schemas"]["Wallet"];
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    retireWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 8f14e45f-ceea-4e7d-9c1a-1d2b3c4d5e6f */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            wallet: components["schemas"]["Wallet"];
                            /**
                             * Format: date-time
                             * @description The time at which its private key is deleted for good
                             */
                            restorableUntil: string;
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    updateWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 8f14e45f-ceea-4e7d-9c1a-1d2b3c4d5e6f */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "slotName": "Vault",
                 *       "colortag": "teal"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateWallet"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            wallet: components["schemas"]["Wallet"];
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    restoreWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 8f14e45f-ceea-4e7d-9c1a-1d2b3c4d5e6f */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["RestoreWallet"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            wallet: components["schemas"]["Wallet"];
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    listWalletEvents: {
        parameters: {
            query?: {
                /**
                 * @description The most records of a page, 1 to 100. A page may have fewer even if more follow.
                 * @example 20
                 */
                limit?: string;
                /** @description The cursor of the page before. All other parameters must stay the same */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @example 8f14e45f-ceea-4e7d-9c1a-1d2b3c4d5e6f */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            events: components["schemas"]["WalletEvent"][];
                            /** @description Absent on the last page */
                            cursor?: string;
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    getWalletPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 8f14e45f-ceea-4e7d-9c1a-1d2b3c4d5e6f */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            policy: components["schemas"]["WalletPolicy"];
                            pending?: {
                                policy: components["schemas"]["WalletPolicy"];
                                /** Format: date-time */
                                effectiveAt: string;
                            };
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    setWalletPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 8f14e45f-ceea-4e7d-9c1a-1d2b3c4d5e6f */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "maxPerOrder": "0.5",
                 *       "maxPerDay": "2",
                 *       "tokens": [
                 *         "0x5409e03Dda8614EFE68ACFB5d2DaD1A351Cb5094"
                 *       ],
                 *       "tradingEnabled": true
                 *     }
                 */
                "application/json": components["schemas"]["GivenPolicy"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            policy: components["schemas"]["WalletPolicy"];
                            pending?: {
                                policy: components["schemas"]["WalletPolicy"];
                                /** Format: date-time */
                                effectiveAt: string;
                            };
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    exportWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 8f14e45f-ceea-4e7d-9c1a-1d2b3c4d5e6f */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "publicKey": {
                 *         "kty": "EC",
                 *         "crv": "P-256",
                 *         "x": "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY",
                 *         "y": "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ExportWallet"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            export: {
                                /** @constant */
                                status: "pending";
                                /** Format: date-time */
                                availableAt: string;
                            } | {
                                /** @constant */
                                status: "ready";
                                /** @description HPKE's encapsulated key: 65 bytes in base64url */
                                enc: string;
                                /** @description The sealed private key in base64url */
                                ciphertext: string;
                            };
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    cancelExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 8f14e45f-ceea-4e7d-9c1a-1d2b3c4d5e6f */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            export: {
                                /** @constant */
                                status: "cancelled";
                            };
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    startSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["StartSession"];
            };
        };
        responses: {
            /** @description Success */
            204: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description The token until it expires: HttpOnly, Secure, and sent only from pages of the API's own site. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            204: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description The cookie with an empty value, so that the browser removes it. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateTradingSettings: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Changes the settings only if their ETag is in this list. `*` matches any.
                 * @example *
                 */
                "If-Match"?: string;
            };
            path: {
                /** @example eth */
                chain: "eth" | "base" | "sol";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "slippage": 1.5,
                 *       "gasPreset": "fast"
                 *     }
                 */
                "application/json": components["schemas"]["TradingSettingsPatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description The version of the settings for If-Match, such as `"5"`; `"0"` for defaults. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvmTradingSettings"] | components["schemas"]["SolanaTradingSettings"];
                };
            };
        };
    };
    getTradingSettings: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Responds with 304 and no body if the ETag is in this list.
                 * @example "7"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /** @example eth */
                chain: "eth" | "base" | "sol";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description The version of the settings for If-Match, such as `"5"`; `"0"` for defaults. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @enum {string} */
                            chain: "eth" | "base" | "sol";
                            version: number;
                            settings: {
                                /** @description Percent */
                                slippage: number;
                                /** @enum {string} */
                                gasPreset: "slow" | "medium" | "fast" | "turbo";
                                /** @description Gwei */
                                maxGasPrice: number;
                                mevProtection: boolean;
                                autoBuy: boolean;
                                autoSell: boolean;
                            } | {
                                /** @description Percent */
                                slippage: number;
                                /** @description SOL */
                                priorityFee: number;
                                mevProtection: boolean;
                                autoBuy: boolean;
                                autoSell: boolean;
                            };
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    getUserData: {
        parameters: {
            query?: {
                /**
                 * @description `ref` for referral data. Any other value, or none, for profile data.
                 * @example profile
                 */
                type?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileData"] | components["schemas"]["ReferralData"];
                };
            };
        };
    };
    listRewards: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RewardList"];
                };
            };
        };
    };
    redeemReward: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description 1 to 255 printable ASCII characters, bare or as a quoted string. A key buys only one reward for a user, ever.
                 * @example first-redemption
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @example guide-first-trade */
                rewardId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["RedeemReward"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description `true` if the key bought the reward before. The response shows the redemption's current state. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            redemption: components["schemas"]["Redemption"];
                            /** @description The user's current points */
                            points: number;
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    listRedemptions: {
        parameters: {
            query?: {
                /**
                 * @description The most records of a page, 1 to 100. A page may have fewer even if more follow.
                 * @example 20
                 */
                limit?: string;
                /** @description The cursor of the page before. All other parameters must stay the same */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            redemptions: components["schemas"]["Redemption"][];
                            /** @description The user's current points */
                            points: number;
                            /** @description Absent on the last page */
                            cursor?: string;
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /**
                 * @description If absent, the tokens of all chains
                 * @example eth
                 */
                chain?: "eth" | "base" | "sol" | "bsc" | "avax";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            tokens: components["schemas"]["Token"][];
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    inspectToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example eth */
                chain: "eth" | "base" | "sol" | "bsc" | "avax";
                /**
                 * @description All lower case, all upper case, or with the right checksum
                 * @example 0x5409e03Dda8614EFE68ACFB5d2DaD1A351Cb5094
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            token: components["schemas"]["InspectedToken"];
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    readBalances: {
        parameters: {
            query: {
                /** @example eth */
                chain: "eth" | "base" | "sol" | "bsc" | "avax";
                /**
                 * @description All lower case, all upper case, or with the right checksum
                 * @example 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266
                 */
                wallet?: string;
                /** @description An address, or `native` for the chain's coin */
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @enum {string} */
                            chain: "eth" | "base" | "bsc" | "avax";
                            block: number;
                            /** Format: date-time */
                            asOf: string;
                            balances: components["schemas"]["Balance"][];
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    quoteOrder: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "chain": "eth",
                 *       "wallet": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                 *       "side": "buy",
                 *       "token": "0x5409e03Dda8614EFE68ACFB5d2DaD1A351Cb5094",
                 *       "amount": "0.1"
                 *     }
                 */
                "application/json": components["schemas"]["QuoteRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            quote: components["schemas"]["Quote"];
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    listOrders: {
        parameters: {
            query?: {
                /** @example filled */
                status?: "open" | "partially_filled" | "filled" | "cancelled" | "rejected" | "expired";
                chain?: "eth" | "base" | "sol" | "bsc" | "avax";
                wallet?: string;
                token?: string;
                /**
                 * @description The most records of a page, 1 to 100. A page may have fewer even if more follow.
                 * @example 20
                 */
                limit?: string;
                /** @description The cursor of the page before. All other parameters must stay the same */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            orders: components["schemas"]["Order"][];
                            /** @description Absent on the last page */
                            cursor?: string;
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    placeOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description 1 to 255 printable ASCII characters, bare or as a quoted string. A key places only one order of a user, ever.
                 * @example first-order
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "chain": "eth",
                 *       "wallet": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                 *       "side": "buy",
                 *       "token": "0x5409e03Dda8614EFE68ACFB5d2DaD1A351Cb5094",
                 *       "amount": "0.1",
                 *       "type": "market"
                 *     }
                 */
                "application/json": components["schemas"]["PlaceOrder"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description `true` if the key placed the order before. The response shows its current state. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            order: components["schemas"]["Order"];
                        } | {
                            /** @constant */
                            dryRun: true;
                            quote: components["schemas"]["Quote"];
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    cancelOrder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01KAMZ3Q5T9WJ2M4N6P8R0S1V3 */
                orderId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["CancelOrder"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            order: components["schemas"]["Order"];
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    getOrder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01KAMZ3Q5T9WJ2M4N6P8R0S1V3 */
                orderId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            order: components["schemas"]["Order"];
                            /** @description Empty for orders of other engines */
                            attempts: components["schemas"]["Attempt"][];
                            report?: components["schemas"]["OrderReport"];
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
    listPositions: {
        parameters: {
            query?: {
                /** @example open */
                status?: "open" | "closed";
                /** @example eth */
                chain?: "eth" | "base" | "sol" | "bsc" | "avax";
                wallet?: string;
                /** @description The most records of a page, 1 to 100. A page may have fewer even if more follow. */
                limit?: string;
                /** @description The cursor of the page before. All other parameters must stay the same */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            positions: components["schemas"]["Position"][];
                            /** @description Absent on the last page */
                            cursor?: string;
                        };
                        /** Format: date-time */
                        timestamp: string;
                    };
                };
            };
        };
    };
}

/** The method and the path of each operation. `once`: it requires an Idempotency-Key. */
export const routes = {
    storeWallet: "POST /storeWallet_v2",
    listWallets: "GET /listWallets",
    listWalletsV2: "GET /api/v2/wallets",
    createWallet: "POST /api/v2/wallets once",
    listImportKeys: "GET /api/v2/wallets/import-key",
    importWallet: "POST /api/v2/wallets/import once",
    retireWallet: "DELETE /api/v2/wallets/{walletId}",
    updateWallet: "PATCH /api/v2/wallets/{walletId}",
    restoreWallet: "POST /api/v2/wallets/{walletId}/restore",
    listWalletEvents: "GET /api/v2/wallets/{walletId}/events",
    getWalletPolicy: "GET /api/v2/wallets/{walletId}/policy",
    setWalletPolicy: "PUT /api/v2/wallets/{walletId}/policy",
    exportWallet: "POST /api/v2/wallets/{walletId}/export",
    cancelExport: "DELETE /api/v2/wallets/{walletId}/export",
    startSession: "POST /api/v2/session",
    endSession: "DELETE /api/v2/session",
    updateTradingSettings: "POST /updateTradingSettings/{chain}",
    getTradingSettings: "GET /api/v2/settings/{chain}",
    getUserData: "GET /getUserData",
    listRewards: "GET /api/waitlist/v2/rewards",
    redeemReward: "POST /api/v2/rewards/{rewardId}/redemptions once",
    listRedemptions: "GET /api/v2/redemptions",
    listTokens: "GET /api/v2/tokens",
    inspectToken: "GET /api/v2/tokens/{chain}/{token}",
    readBalances: "GET /api/v2/balances",
    quoteOrder: "POST /api/v2/quotes",
    placeOrder: "POST /api/v2/orders once",
    listOrders: "GET /api/v2/orders",
    cancelOrder: "POST /api/v2/orders/{orderId}/cancel",
    getOrder: "GET /api/v2/orders/{orderId}",
    listPositions: "GET /api/v2/positions",
} as const;

/** The codes of errors in the general envelope, by operation and status. */
export interface ErrorCodes {
    storeWallet: {
    };
    listWallets: {
    };
    listWalletsV2: {
        400: "INVALID_REQUEST";
        500: "INTERNAL_ERROR";
    };
    createWallet: {
        400: "INVALID_REQUEST" | "IDEMPOTENCY_KEY_MISSING";
        403: "WALLET_LIMIT_REACHED";
        404: "WALLET_NOT_FOUND";
        415: "UNSUPPORTED_MEDIA_TYPE";
        422: "IDEMPOTENCY_KEY_REUSED";
        500: "INTERNAL_ERROR";
    };
    listImportKeys: {
        500: "INTERNAL_ERROR";
    };
    importWallet: {
        400: "INVALID_REQUEST" | "IDEMPOTENCY_KEY_MISSING" | "UNKNOWN_IMPORT_KEY" | "INVALID_CIPHERTEXT" | "INVALID_PRIVATE_KEY";
        403: "WALLET_LIMIT_REACHED";
        404: "WALLET_NOT_FOUND";
        409: "ADDRESS_MISMATCH";
        415: "UNSUPPORTED_MEDIA_TYPE";
        422: "IDEMPOTENCY_KEY_REUSED";
        500: "INTERNAL_ERROR";
    };
    retireWallet: {
        400: "INVALID_REQUEST";
        404: "WALLET_NOT_FOUND";
        409: "WALLET_BUSY";
        500: "INTERNAL_ERROR";
    };
    updateWallet: {
        400: "INVALID_REQUEST";
        404: "WALLET_NOT_FOUND";
        415: "UNSUPPORTED_MEDIA_TYPE";
        500: "INTERNAL_ERROR";
    };
    restoreWallet: {
        400: "INVALID_REQUEST";
        403: "WALLET_LIMIT_REACHED";
        404: "WALLET_NOT_FOUND";
        415: "UNSUPPORTED_MEDIA_TYPE";
        500: "INTERNAL_ERROR";
    };
    listWalletEvents: {
        400: "INVALID_REQUEST";
        404: "WALLET_NOT_FOUND";
        500: "INTERNAL_ERROR";
    };
    getWalletPolicy: {
        400: "INVALID_REQUEST";
        404: "WALLET_NOT_FOUND";
        500: "INTERNAL_ERROR";
    };
    setWalletPolicy: {
        400: "INVALID_REQUEST";
        404: "WALLET_NOT_FOUND";
        415: "UNSUPPORTED_MEDIA_TYPE";
        500: "INTERNAL_ERROR";
    };
    exportWallet: {
        400: "INVALID_REQUEST";
        403: "EXPORT_DISABLED" | "EXPORT_LIMIT_REACHED";
        404: "WALLET_NOT_FOUND" | "EXPORT_NOT_FOUND";
        415: "UNSUPPORTED_MEDIA_TYPE";
        500: "INTERNAL_ERROR";
    };
    cancelExport: {
        400: "INVALID_REQUEST";
        403: "EXPORT_DISABLED";
        404: "EXPORT_NOT_FOUND";
        500: "INTERNAL_ERROR";
    };
    startSession: {
        400: "INVALID_REQUEST";
        415: "UNSUPPORTED_MEDIA_TYPE";
        500: "INTERNAL_ERROR";
    };
    endSession: {
        500: "INTERNAL_ERROR";
    };
    updateTradingSettings: {
    };
    getTradingSettings: {
        400: "INVALID_REQUEST";
        500: "INTERNAL_ERROR";
    };
    getUserData: {
    };
    listRewards: {
        500: "INTERNAL_ERROR";
    };
    redeemReward: {
        400: "INVALID_REQUEST" | "IDEMPOTENCY_KEY_MISSING" | "INSUFFICIENT_POINTS";
        404: "REWARD_NOT_FOUND";
        409: "REWARD_UNAVAILABLE" | "OUT_OF_STOCK";
        415: "UNSUPPORTED_MEDIA_TYPE";
        422: "IDEMPOTENCY_KEY_REUSED";
        500: "INTERNAL_ERROR";
        503: "REWARD_BUSY";
    };
    listRedemptions: {
        400: "INVALID_REQUEST";
        500: "INTERNAL_ERROR";
    };
    listTokens: {
        400: "INVALID_REQUEST" | "UNSUPPORTED_CHAIN";
        403: "TRADING_DISABLED";
        500: "INTERNAL_ERROR";
    };
    inspectToken: {
        400: "INVALID_REQUEST" | "UNSUPPORTED_CHAIN";
        403: "TRADING_DISABLED";
        404: "TOKEN_NOT_FOUND";
        500: "INTERNAL_ERROR";
        503: "CHAIN_UNAVAILABLE";
    };
    readBalances: {
        400: "INVALID_REQUEST" | "UNSUPPORTED_CHAIN";
        403: "TRADING_DISABLED";
        404: "WALLET_NOT_FOUND" | "TOKEN_NOT_FOUND";
        500: "INTERNAL_ERROR";
        503: "CHAIN_UNAVAILABLE";
    };
    quoteOrder: {
        400: "INVALID_REQUEST" | "UNSUPPORTED_CHAIN" | "NO_ROUTE" | "AMOUNT_TOO_SMALL" | "INSUFFICIENT_BALANCE";
        403: "TRADING_DISABLED";
        404: "WALLET_NOT_FOUND" | "TOKEN_NOT_FOUND";
        415: "UNSUPPORTED_MEDIA_TYPE";
        500: "INTERNAL_ERROR";
        503: "CHAIN_UNAVAILABLE";
    };
    placeOrder: {
        400: "INVALID_REQUEST" | "IDEMPOTENCY_KEY_MISSING" | "UNSUPPORTED_CHAIN" | "NO_ROUTE" | "AMOUNT_TOO_SMALL" | "INSUFFICIENT_BALANCE";
        403: "TRADING_DISABLED" | "POLICY_LIMIT";
        404: "WALLET_NOT_FOUND" | "TOKEN_NOT_FOUND";
        409: "WALLET_BUSY" | "GAS_PRICE_TOO_HIGH" | "TOKEN_UNSAFE" | "PRICE_IMPACT_TOO_HIGH";
        415: "UNSUPPORTED_MEDIA_TYPE";
        422: "IDEMPOTENCY_KEY_REUSED";
        500: "INTERNAL_ERROR";
        503: "CHAIN_UNAVAILABLE";
    };
    listOrders: {
        400: "INVALID_REQUEST";
        500: "INTERNAL_ERROR";
    };
    cancelOrder: {
        400: "INVALID_REQUEST";
        403: "TRADING_DISABLED";
        404: "ORDER_NOT_FOUND";
        409: "ORDER_NOT_CANCELLABLE";
        415: "UNSUPPORTED_MEDIA_TYPE";
        500: "INTERNAL_ERROR";
    };
    getOrder: {
        400: "INVALID_REQUEST";
        404: "ORDER_NOT_FOUND";
        500: "INTERNAL_ERROR";
    };
    listPositions: {
        400: "INVALID_REQUEST";
        500: "INTERNAL_ERROR";
    };
}

/** A message that the service sends. */
export type ServerMessage =
    | components["schemas"]["Subscriptions"]
    | components["schemas"]["ErrorMessage"]
    | components["schemas"]["Pong"]
    | components["schemas"]["OrdersSnapshot"]
    | components["schemas"]["PositionsSnapshot"]
    | components["schemas"]["PricesSnapshot"]
    | components["schemas"]["OrdersUpdate"]
    | components["schemas"]["PositionsUpdate"]
    | components["schemas"]["PricesUpdate"]
    | components["schemas"]["TradingSettingsUpdated"]
    | components["schemas"]["WalletsUpdated"]
    | components["schemas"]["WalletExportRequested"]
    | components["schemas"]["RewardRedeemed"];

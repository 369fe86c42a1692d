// Made from the API's description by "npm run types". Do not edit.

export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A page that shows this description and what is going on. */
        get: operations["get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/clusters/split": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes a listing out of its cluster and keeps it out, whatever is read later. */
        post: operations["post_api_admin_clusters_split"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/clusters/unsplit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Undoes a split: what the listings say decides again. */
        post: operations["post_api_admin_clusters_unsplit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Messages that were given up, newest first. */
        get: operations["get_api_admin_dead_letters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/dead-letters/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Drops a dead letter. */
        delete: operations["delete_api_admin_dead_letters_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/dead-letters/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a dead letter again: its task, if it is still open, gets a message with its present number. */
        post: operations["post_api_admin_dead_letters_id_replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every policy, as it was last put in. */
        get: operations["get_api_admin_policies"];
        /** Puts another book in place of the whole. A book with a mistake changes nothing. */
        put: operations["put_api_admin_policies"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reads stored pages again with the extractors of today: how fields would change and how often each is known,
         *     and, unless it is a dry run, the new readings and the fields of listings. It closes nothing.
         */
        post: operations["post_api_admin_replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/role-decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How titles came to their roles, the newest first. */
        get: operations["get_api_admin_role_decisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/role-decisions/{id}/correct": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Says where a title belongs. It is remembered for every title that is the same after cleaning. */
        post: operations["post_api_admin_role_decisions_id_correct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Roles, the newest first. */
        get: operations["get_api_admin_roles"];
        put?: never;
        /** Makes a role, or finds the one that the name already leads to. */
        post: operations["post_api_admin_roles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/roles/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One role. */
        get: operations["get_api_admin_roles_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/roles/{id}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes one role of two: links, names and jobs of this one go to the other. */
        post: operations["post_api_admin_roles_id_merge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/roles/{id}/priority": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Puts a role before or behind others. */
        post: operations["post_api_admin_roles_id_priority"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/roles/{id}/requeue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lets a role wait again. A session that is under way ends as released. */
        post: operations["post_api_admin_roles_id_requeue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/scraper-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Keys, the newest first. */
        get: operations["get_api_admin_scraper_keys"];
        put?: never;
        /** Makes a key. */
        post: operations["post_api_admin_scraper_keys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/scraper-keys/{id}/expire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Says when a key ends by itself. */
        post: operations["post_api_admin_scraper_keys_id_expire"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/scraper-keys/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends a key at once and for good. */
        post: operations["post_api_admin_scraper_keys_id_revoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/scraper-keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Gives a key another secret; the present one opens a while longer. */
        post: operations["post_api_admin_scraper_keys_id_rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The boards that are read, the newest first. */
        get: operations["get_api_admin_sources"];
        put?: never;
        /** Adds a board. */
        post: operations["post_api_admin_sources"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/sources/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One source, and what its latest reads were worth. */
        get: operations["get_api_admin_sources_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Enables or disables a source, or sets how often it is read. Enabled, it is read at the next sweep. */
        patch: operations["patch_api_admin_sources_id"];
        trace?: never;
    };
    "/api/admin/sources/{id}/scrape": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reads a source now. One read at a time: a read under way is answered instead. */
        post: operations["post_api_admin_sources_id_scrape"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Webhooks, newest first. */
        get: operations["get_api_admin_webhooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a webhook again, whatever became of it: the same id and bytes, and all its attempts. An endpoint that
         *     was switched off is on again.
         */
        post: operations["post_api_admin_webhooks_id_replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/candidates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Candidates, the newest first. */
        get: operations["get_api_candidates"];
        put?: never;
        /** Takes a person in: their wishes become roles, and those are queued. */
        post: operations["post_api_candidates"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/candidates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One candidate. */
        get: operations["get_api_candidates_id"];
        /** Puts another description in place of the whole. */
        put: operations["put_api_candidates_id"];
        post?: never;
        /** Forgets a person, with links and matches. */
        delete: operations["delete_api_candidates_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/candidates/{id}/matches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The jobs that suit a candidate, the best first, each with what made its score. */
        get: operations["get_api_candidates_id_matches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/listings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The newest listings first. */
        get: operations["get_api_listings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/listings/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One listing, whole. */
        get: operations["get_api_listings_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/listings/{id}/cluster": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The cluster a listing is in: its members, the best word on each field with whose it is, and why they are one job. */
        get: operations["get_api_listings_id_cluster"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/listings/{id}/evidence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Why a listing is in the state it is in, oldest first. */
        get: operations["get_api_listings_id_evidence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/scraper-monitoring/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was imported over time, by scraper: of completed sessions that started in these hours. */
        get: operations["get_api_scraper_monitoring_imports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/scraper-monitoring/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What waits and what is under way, in the order it is handed out. */
        get: operations["get_api_scraper_monitoring_queue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/scraper-monitoring/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sessions, the newest first. */
        get: operations["get_api_scraper_monitoring_sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/scraper-monitoring/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The scrapers, together and one by one. */
        get: operations["get_api_scraper_monitoring_stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/scraper/queue/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Hands in jobs and completes the session. */
        post: operations["post_api_scraper_queue_jobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/scraper/queue/next-role": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The next role in the queue, for this scraper alone. */
        get: operations["get_api_scraper_queue_next_role"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/scraper/queue/sessions/{session_id}/fail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Says that a role could not be scraped. */
        post: operations["post_api_scraper_queue_sessions_session_id_fail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/scraper/queue/sessions/{session_id}/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Still at it: the lease begins anew. */
        post: operations["post_api_scraper_queue_sessions_session_id_heartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/scraper/queue/sessions/{session_id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Gives a role back unscraped. */
        post: operations["post_api_scraper_queue_sessions_session_id_release"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/scraper/queue/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How the queue is, for whoever wants to know whether to ask. */
        get: operations["get_api_scraper_queue_stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrape": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Hand in one URL. With `max_age`, a page that was fetched lately for the same workspace is answered at once. */
        post: operations["post_api_v1_scrape"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrape/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Hand in up to a hundred URLs: all are taken or none. */
        post: operations["post_api_v1_scrape_batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrape/jobs/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How far a job is. The id of a single task is the id of a job of one. */
        get: operations["get_api_v1_scrape_jobs_job_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrape/jobs/{job_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop what has not begun; what is under way ends by itself. Once is enough, and more does no harm. */
        post: operations["post_api_v1_scrape_jobs_job_id_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrape/jobs/{job_id}/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What came of a job so far: its completed tasks, oldest first. `meta.next_cursor` leads on. */
        get: operations["get_api_v1_scrape_jobs_job_id_results"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrape/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Hand in one URL and wait for what became of it. A site's own answer, also a bad one, is a result. */
        post: operations["post_api_v1_scrape_sync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrape/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ask what became of a task. */
        get: operations["get_api_v1_scrape_task_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Alive, with the figures of the last hour, the browsers and the ways out. */
        get: operations["get_health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Figures for Prometheus. */
        get: operations["get_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description. */
        get: operations["get_openapi_json"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readiness": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ready to take work: the database answers and has the schema this program was built for, a browser is to be
         *     had, and there is a way out.
         */
        get: operations["get_readiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A task that was taken. */
        Accepted: {
            /** @description `queued`. */
            status: string;
            /** Format: uuid */
            task_id: string;
        };
        /** @description Up to a hundred pages, taken whole or not at all. */
        BatchScrapeRequest: {
            /** @description For targets that name none of their own. */
            callback_url?: string | null;
            /**
             * Format: int64
             * @description For targets that name none of their own.
             */
            max_age?: number | null;
            /** @description For targets that name none of their own. */
            render?: string | null;
            /** @description 1 to 100. */
            targets: components["schemas"]["ScrapeRequest"][];
            /** @description For targets that name none of their own. */
            workspace_id?: string | null;
        };
        /** @description One board's limit. */
        BoardLimit: {
            /** Format: int32 */
            requests_per_minute: number;
            source: string;
        };
        CandidatePage: {
            candidates: components["schemas"]["CandidateView"][];
            next_cursor?: string | null;
        };
        /** @description A person, whole: what is left out is unknown. */
        CandidateRequest: {
            /** @default null */
            current_title: string | null;
            /**
             * @description Where they would work.
             * @default []
             */
            locations: string[];
            /** @default null */
            name: string | null;
            /**
             * @description Titles, in their own words; each becomes a role.
             * @default []
             */
            preferred_roles: string[];
            /** @default null */
            remote: boolean | null;
            /**
             * @description Three capitals.
             * @default null
             */
            salary_currency: string | null;
            /**
             * Format: double
             * @description A year.
             * @default null
             */
            salary_min: number | null;
            /** @default [] */
            skills: string[];
            /** @default null */
            specializations: string | null;
            /** @default [] */
            tech_stack: string[];
        };
        /** @description A candidate as a caller sees it. */
        CandidateView: {
            /** Format: date-time */
            created_at: string;
            current_title?: string | null;
            /** Format: uuid */
            id: string;
            locations: string[];
            name?: string | null;
            /** @description As they were given. */
            preferred_roles: string[];
            remote?: boolean | null;
            /** @description What they became: `id` and `name` of each. */
            roles: unknown;
            salary_currency?: string | null;
            /**
             * Format: double
             * @description A year.
             */
            salary_min?: number | null;
            search_keywords: string[];
            skills: string[];
            specializations?: string | null;
            tech_stack: string[];
            /** Format: date-time */
            updated_at: string;
        };
        ClusterMember: {
            is_active: boolean;
            /** Format: date-time */
            last_seen_at: string;
            /** Format: uuid */
            listing_id: string;
            source: string;
            /** @description `first_party`, `unknown` or `aggregator`. */
            standing: components["schemas"]["Standing"];
            title: string;
            url: string;
        };
        /** @description One job, as all boards that list it say it. */
        ClusterView: {
            /** Format: uuid */
            cluster_id: string;
            /** @description For each field the best word on it, and whose it is. */
            fields: {
                [key: string]: components["schemas"]["Shown"];
            };
            /**
             * Format: uuid
             * @description The member that stands for the others.
             */
            head: string;
            /** @description By the company's own listing where it is known, else by any. */
            is_active: boolean;
            links: components["schemas"]["LinkView"][];
            members: components["schemas"]["ClusterMember"][];
            /** @description Listings an admin keeps apart from members. */
            splits: components["schemas"]["SplitView"][];
        };
        CorrectionRequest: {
            /**
             * Format: int32
             * @description The role that the title belongs to.
             */
            role_id: number;
        };
        /** @description One message that was given up. */
        DeadLetter: {
            body: string;
            /** Format: date-time */
            died_at: string;
            group_id: string;
            /** Format: int64 */
            id: number;
            message_id: string;
            /** @description The queue it died in. */
            queue: string;
            /** Format: int32 */
            receive_count: number;
        };
        DeadLetterPage: {
            dead_letters: components["schemas"]["DeadLetter"][];
            next_cursor?: string | null;
        };
        DecisionPage: {
            decisions: components["schemas"]["DecisionView"][];
            next_cursor?: string | null;
        };
        /** @description How a title came to its role. */
        DecisionView: {
            /** Format: date-time */
            at: string;
            /** Format: date-time */
            corrected_at?: string | null;
            /** @description Who said since that the title belongs elsewhere. */
            corrected_by?: string | null;
            /**
             * Format: int32
             * @description Where it belongs by that word.
             */
            corrected_role_id?: number | null;
            /** Format: int64 */
            id: number;
            key: string;
            /** @description `key`, `alias`, `correction`, `model` or `new`. */
            method: string;
            /** Format: int32 */
            role_id?: number | null;
            role_name?: string | null;
            /** Format: float */
            score: number;
            /** Format: int32 */
            suggested_role_id?: number | null;
            suggested_role_name?: string | null;
            title: string;
        };
        EndedSession: {
            /** Format: uuid */
            session_id: string;
            /** @description `released` or `failed`. */
            status: string;
        };
        /** @description Why a session ends without jobs. */
        Ending: {
            /** @description The same under another name. */
            error?: string | null;
            /** @description For whoever looks at the session later. */
            reason?: string | null;
        };
        EnvelopeError: {
            data?: unknown;
            /** @description A sentence for people */
            error: string;
            meta: {
                /** @description Stable, for programs */
                code: string;
                errors?: components["schemas"]["FieldError"][];
                task_id?: string;
                type?: string;
            };
            success: boolean;
        };
        /** @description `{success, data, error, meta}`: the answer of `/api/v1/*`, `/health` and `/readiness`. */
        Envelope_Accepted: {
            /** @description A task that was taken. */
            data?: {
                /** @description `queued`. */
                status: string;
                /** Format: uuid */
                task_id: string;
            };
            error?: string | null;
            meta?: unknown;
            success: boolean;
        };
        /** @description `{success, data, error, meta}`: the answer of `/api/v1/*`, `/health` and `/readiness`. */
        Envelope_JobAccepted: {
            /** @description A job that was taken. */
            data?: {
                /** Format: uuid */
                job_id: string;
                /** @description `queued`, unless every page was answered from storage: then `completed`. */
                status: string;
                /** @description One per target, in the order of the targets. */
                task_ids: string[];
                total_tasks: number;
            };
            error?: string | null;
            meta?: unknown;
            success: boolean;
        };
        /** @description `{success, data, error, meta}`: the answer of `/api/v1/*`, `/health` and `/readiness`. */
        Envelope_JobResults: {
            data?: {
                /** Format: uuid */
                job_id: string;
                /** @description The completed tasks, oldest first. */
                results: components["schemas"]["TaskView"][];
            };
            error?: string | null;
            meta?: unknown;
            success: boolean;
        };
        /** @description `{success, data, error, meta}`: the answer of `/api/v1/*`, `/health` and `/readiness`. */
        Envelope_JobView: {
            /** @description A job and how far it is. */
            data?: {
                /** Format: int32 */
                completed_tasks: number;
                /** Format: date-time */
                created_at: string;
                /** Format: int32 */
                failed_tasks: number;
                /** Format: uuid */
                job_id: string;
                /** Format: int32 */
                queued_tasks: number;
                /** Format: int32 */
                running_tasks: number;
                /** @description `queued`, `running`, `completed`, `partially_completed`, `failed` or `cancelled`. */
                status: string;
                tasks: components["schemas"]["JobTaskView"][];
                /** Format: int32 */
                total_tasks: number;
                /** Format: date-time */
                updated_at: string;
                workspace_id?: string | null;
            };
            error?: string | null;
            meta?: unknown;
            success: boolean;
        };
        /** @description `{success, data, error, meta}`: the answer of `/api/v1/*`, `/health` and `/readiness`. */
        Envelope_TaskView: {
            /** @description A task as the scrape service shows it. */
            data?: {
                /** Format: date-time */
                completed_at?: string | null;
                /** Format: date-time */
                created_at: string;
                error?: string | null;
                /**
                 * Format: uuid
                 * @description The job it belongs to; a task that stands alone is its own.
                 */
                job_id: string;
                /** Format: uuid */
                listing_id?: string | null;
                /** @description Only when completed. */
                result?: unknown;
                /** Format: date-time */
                started_at?: string | null;
                /** @description `queued`, `running`, `completed` or `failed`. */
                status: string;
                target_type: string;
                target_url: string;
                /** Format: uuid */
                task_id: string;
                workspace_id?: string | null;
            };
            error?: string | null;
            meta?: unknown;
            success: boolean;
        };
        Error: {
            /** @description Stable, for programs */
            code: string;
            /** @description A sentence for people */
            error: string;
            errors?: components["schemas"]["FieldError"][];
        };
        /** @description One row of evidence. */
        Evidence: {
            /** Format: date-time */
            at: string;
            detail?: unknown;
            /** @description `created`, `refreshed`, `nominated`, `verified`, `closed`, `reopened`, `merged`, `split` or `reread`. */
            event: string;
            extractor_version?: string | null;
            final_url?: string | null;
            /** Format: int32 */
            http_status?: number | null;
            /** Format: int64 */
            id: number;
            raw_key?: string | null;
            /** @description Which rule said so. */
            rule: string;
            /** Format: uuid */
            task_id?: string | null;
            verdict_code?: string | null;
        };
        EvidencePage: {
            evidence: components["schemas"]["Evidence"][];
            next_cursor?: string | null;
        };
        /** @description A page that is read differently now. */
        Example: {
            fields: components["schemas"]["FieldDiff"][];
            target_type: string;
            url: string;
        };
        ExpiryRequest: {
            /**
             * Format: date-time
             * @description Never by itself when null.
             */
            expires_at?: string | null;
        };
        /** @description One field that is read differently. */
        FieldDiff: {
            after: unknown;
            before: unknown;
            field: string;
            turn: components["schemas"]["Turn"];
        };
        /** @description What is wrong with one field. */
        FieldError: {
            field: string;
            message: string;
        };
        /** @description How pages say a field, before and after. */
        Fill: {
            /** Format: int64 */
            after: number;
            /** Format: int64 */
            before: number;
            /** Format: int64 */
            changed: number;
            /** Format: int64 */
            gained: number;
            /** Format: int64 */
            lost: number;
        };
        /** @description What was imported in one hour. */
        Hour: {
            /** Format: date-time */
            hour: string;
            /** Format: int64 */
            jobs_imported: number;
            /** Format: int64 */
            sessions: number;
        };
        /** @description What one scraper imported in one step. */
        Imported: {
            /**
             * Format: date-time
             * @description When the step begins.
             */
            at: string;
            /** Format: int64 */
            jobs_imported: number;
            /** Format: int64 */
            jobs_skipped: number;
            /**
             * Format: int32
             * @description Null: all scrapers but the five that imported the most.
             */
            scraper_key_id?: number | null;
            scraper_name?: string | null;
            /**
             * Format: int64
             * @description Completed ones.
             */
            sessions: number;
        };
        Imports: {
            imports: components["schemas"]["Imported"][];
            /**
             * Format: date-time
             * @description Where the figures begin.
             */
            since: string;
            step: components["schemas"]["Step"];
        };
        /** @description A job that was taken. */
        JobAccepted: {
            /** Format: uuid */
            job_id: string;
            /** @description `queued`, unless every page was answered from storage: then `completed`. */
            status: string;
            /** @description One per target, in the order of the targets. */
            task_ids: string[];
            total_tasks: number;
        };
        /** @description What is wrong with one job. */
        JobFault: {
            field: string;
            /** @description Its place in the list, from 0. */
            index: number;
            message: string;
        };
        JobResults: {
            /** Format: uuid */
            job_id: string;
            /** @description The completed tasks, oldest first. */
            results: components["schemas"]["TaskView"][];
        };
        /** @description One task of a job; its result is at `…/results`. */
        JobTaskView: {
            /** @description A stable name for the error. */
            code?: string | null;
            error?: string | null;
            /** @description `queued`, `running`, `completed` or `failed`. */
            status: string;
            target_type: string;
            target_url: string;
            /** Format: uuid */
            task_id: string;
        };
        /** @description A job and how far it is. */
        JobView: {
            /** Format: int32 */
            completed_tasks: number;
            /** Format: date-time */
            created_at: string;
            /** Format: int32 */
            failed_tasks: number;
            /** Format: uuid */
            job_id: string;
            /** Format: int32 */
            queued_tasks: number;
            /** Format: int32 */
            running_tasks: number;
            /** @description `queued`, `running`, `completed`, `partially_completed`, `failed` or `cancelled`. */
            status: string;
            tasks: components["schemas"]["JobTaskView"][];
            /** Format: int32 */
            total_tasks: number;
            /** Format: date-time */
            updated_at: string;
            workspace_id?: string | null;
        };
        KeyList: {
            keys: components["schemas"]["KeyView"][];
            next_cursor?: string | null;
        };
        KeyRequest: {
            /** @description The platforms it may import from; all when left out. */
            allowed_sources?: string[] | null;
            /**
             * Format: date-time
             * @description When it ends by itself; never when left out.
             */
            expires_at?: string | null;
            /** @description What the scraper is called in reports; 1 to 100 characters. */
            name: string;
        };
        /** @description A key as an admin sees it: never its secret. */
        KeyView: {
            allowed_sources?: string[] | null;
            /** Format: date-time */
            created_at: string;
            created_by: string;
            /** Format: date-time */
            expires_at?: string | null;
            /** Format: int32 */
            id: number;
            is_active: boolean;
            /** Format: date-time */
            last_used_at?: string | null;
            /**
             * Format: int32
             * @description Two while the key is being rotated.
             */
            live_secrets: number;
            name: string;
            /** Format: date-time */
            revoked_at?: string | null;
            /** @description The beginning of the newest secret, to tell keys apart. */
            shown: string;
            /**
             * Format: int64
             * @description Counted in groups: what was used in the last seconds may be missing.
             */
            usage_count: number;
        };
        LastDay: {
            /** Format: double */
            avg_duration_seconds: number;
            /** Format: int64 */
            jobs_imported: number;
            /** Format: int64 */
            sessions_completed: number;
        };
        Lease: {
            /** Format: date-time */
            lease_expires_at: string;
            /** Format: uuid */
            session_id: string;
        };
        /** @description Why two members are one job. */
        LinkView: {
            /** Format: uuid */
            a: string;
            /** Format: date-time */
            at: string;
            /** Format: uuid */
            b: string;
            /** @description `requisition` (the company's own number is on both) or `body` (company, role and place, and one text). */
            rule: string;
            /**
             * Format: double
             * @description 0 to 1.
             */
            score: number;
        };
        /** @description A listing as a caller sees it. */
        Listing: {
            /** @description Of an apartment: rent, rooms, area and the like; unknown parts are null. Absent for a job. */
            apartment?: unknown;
            apply_url?: string | null;
            /** @description The rule whose evidence closed it. */
            close_reason?: string | null;
            /** Format: date-time */
            closed_at?: string | null;
            /**
             * Format: uuid
             * @description Listings of one job share it: `/api/listings/{id}/cluster` has them.
             */
            cluster_id: string;
            company?: string | null;
            /** Format: date */
            date_posted?: string | null;
            /** @description Only on a single listing; lists leave it out. */
            description?: string | null;
            employment_type: string[];
            external_id: string;
            extractor_version: string;
            /** Format: date-time */
            first_seen_at: string;
            /** Format: uuid */
            id: string;
            is_active: boolean;
            /** @description `job` or `apartment`. */
            kind: string;
            /** Format: date-time */
            last_seen_at: string;
            market?: string | null;
            /** @description What is known of the place; unknown parts are null. */
            place?: unknown;
            /** @description For each field, how it was read. */
            provenance?: unknown;
            remote?: string | null;
            /** @description The employer's own number for the opening. */
            requisition?: string | null;
            salary?: unknown;
            salary_text?: string | null;
            /** @description By the names of our taxonomy. */
            skills: string[];
            /** @description Where it was read: `web` for a page of its own. */
            source: string;
            /** Format: int32 */
            times_seen: number;
            title: string;
            url: string;
            /** @description A moment or a day, as the posting says it. */
            valid_through?: string | null;
            /** @description `unverified`, `verified`, `nominated` (a check is due) or `unverifiable`. */
            verification_status: string;
        };
        ListingPage: {
            listings: components["schemas"]["Listing"][];
            /** @description Hand it back as `cursor` for the next page; null on the last. */
            next_cursor?: string | null;
        };
        MatchPage: {
            matches: components["schemas"]["MatchView"][];
            next_cursor?: string | null;
        };
        /** @description A match as a caller sees it. */
        MatchView: {
            company?: string | null;
            is_active: boolean;
            /** Format: date-time */
            last_seen_at: string;
            /** Format: uuid */
            listing_id: string;
            /** @description The factors that made it: `factor`, `score`, `weight`, `words`. */
            parts: unknown;
            place?: unknown;
            /** Format: int32 */
            role_id?: number | null;
            /**
             * Format: float
             * @description 0 to 100.
             */
            score: number;
            /** Format: date-time */
            scored_at: string;
            source: string;
            title: string;
            url: string;
        };
        MergeRequest: {
            /**
             * Format: int32
             * @description The role that stays.
             */
            into: number;
        };
        MonitoringStats: {
            /**
             * Format: int64
             * @description Scrapers with a session that gave a sign of life in the last ten minutes.
             */
            active_scrapers: number;
            per_hour: components["schemas"]["Hour"][];
            per_scraper: components["schemas"]["ScraperStats"][];
            totals: components["schemas"]["Totals"];
        };
        /** @description A board to read: its address, or its name where the address does not give it away. */
        NewSource: {
            /** @description `system:token`, such as `greenhouse:acme` or `feed:https://acme.example/jobs.rss`. */
            board?: string | null;
            company?: string | null;
            /** @description Where people see the board. */
            url?: string | null;
        };
        /** @description A role to scrape. */
        NextRole: {
            /**
             * Format: date-time
             * @description Until then the role is yours; a heartbeat moves it.
             */
            lease_expires_at: string;
            /** @description How often to ask the boards, at most. */
            rate_limits: components["schemas"]["BoardLimit"][];
            role: components["schemas"]["RoleToScrape"];
            /**
             * Format: uuid
             * @description Hand it back with the jobs.
             */
            session_id: string;
        };
        /** @description What came of a piece. */
        Piece: {
            examples: components["schemas"]["Example"][];
            /**
             * Format: int64
             * @description Readings that were kept; 0 in a dry run.
             */
            kept: number;
            /**
             * Format: int64
             * @description Listings whose fields are others now, or that are new.
             */
            listings: number;
            /**
             * Format: int64
             * @description Stored pages that are no longer there.
             */
            missing: number;
            /** @description None when there is nothing left. */
            next?: string | null;
            tally: components["schemas"]["Tally"];
        };
        /** @description What became of a post. */
        PostAnswer: {
            /** @description Whether the session is done. */
            completed: boolean;
            /** Format: int32 */
            duration_seconds: number;
            /** @description The jobs of this post that were not taken, and why. */
            errors: components["schemas"]["JobFault"][];
            /**
             * Format: int32
             * @description Of the whole session so far: found = imported + skipped.
             */
            jobs_found: number;
            /** Format: int32 */
            jobs_imported: number;
            /**
             * Format: int32
             * @description Those that were there already, repeated, or wrong.
             */
            jobs_skipped: number;
            /** @description The session had timed out; nobody else had completed the role, so the jobs were taken all the same. */
            late: boolean;
            matching_triggered: boolean;
            /** Format: uuid */
            session_id: string;
        };
        /** @description What a scraper found. */
        PostedJobs: {
            /** @description False when more of this session follows; true when left out. */
            complete?: boolean | null;
            /**
             * @description At most 1,000. Each has `external_job_id`, `platform`, `title` and `job_url`, and may have `company`,
             *     `location`, `remote`, `description`, `skills`, `salary_min`, `salary_max`, `salary_currency`, `salary_period`,
             *     `posted_date`.
             */
            jobs: unknown[];
            /**
             * Format: uuid
             * @description Of the answer to `next-role`.
             */
            session_id: string;
        };
        PriorityRequest: {
            /**
             * @description `urgent`, `high`, `normal` or `low`.
             * @enum {string}
             */
            priority: "urgent" | "high" | "normal" | "low";
        };
        /** @description Roles and the candidates who want them. */
        QueueCount: {
            /** Format: int64 */
            candidates: number;
            /** Format: int64 */
            roles: number;
        };
        QueueCounts: {
            completed: components["schemas"]["QueueCount"];
            pending: components["schemas"]["QueueCount"];
            processing: components["schemas"]["QueueCount"];
        };
        QueueStatistics: {
            last_24h: components["schemas"]["LastDay"];
            queue: components["schemas"]["QueueCounts"];
        };
        /** @description What one read was worth. */
        Read: {
            cap_suspected: boolean;
            /**
             * Format: int32
             * @description Listings that were not in it and were closed for that.
             */
            closed: number;
            complete: boolean;
            /** Format: date-time */
            ended_at: string;
            /** @description Why the first page could not be read. */
            error?: string | null;
            /** @description Why it closed none: `nothing_found`, `fewer_than_usual` or `half_would_go`. */
            held?: string | null;
            /** Format: int64 */
            id: number;
            /**
             * Format: int32
             * @description Listings that were not in it and wait for a check.
             */
            nominated: number;
            /** Format: int32 */
            pages_failed: number;
            /** Format: int32 */
            pages_ok: number;
            reasons: string[];
            /** Format: int64 */
            reported_total?: number | null;
            scope: string;
            /** Format: date-time */
            started_at: string;
            /** Format: uuid */
            task_id: string;
            /** Format: int64 */
            unique_seen: number;
        };
        /** @description Which stored pages to read again. */
        ReplayRequest: {
            /** @description `next` of the piece before. */
            cursor?: string | null;
            /** @description True unless said otherwise: nothing is written. */
            dry_run?: boolean | null;
            /**
             * Format: int64
             * @description Pages of a piece, 1 to 100, default 25.
             */
            limit?: number | null;
            /**
             * Format: date-time
             * @description Pages fetched from then on.
             */
            since: string;
            /** @description A site (`example.com`), or the source of listings (`web`). */
            source?: string | null;
            target_type?: string | null;
            /**
             * Format: date-time
             * @description And before then; now when left out.
             */
            until?: string | null;
        };
        RolePage: {
            next_cursor?: string | null;
            roles: components["schemas"]["RoleView"][];
        };
        RoleQueue: {
            /** @description Of all roles, also those that do not fit into the list. */
            counts: components["schemas"]["QueueCounts"];
            queue: components["schemas"]["Waiting"][];
        };
        RoleRequest: {
            name: string;
            /**
             * @description `urgent`, `high`, `normal` or `low`; normal when left out.
             * @enum {string|null}
             */
            priority?: "urgent" | "high" | "normal" | "low" | null;
        };
        RoleToScrape: {
            aliases: string[];
            /** Format: int32 */
            candidate_count: number;
            /** Format: int32 */
            id: number;
            name: string;
        };
        /** @description A role as an admin sees it. */
        RoleView: {
            aliases: string[];
            /** Format: int32 */
            candidate_count: number;
            /** Format: date-time */
            created_at: string;
            /** Format: int32 */
            id: number;
            /** @description The cleaned title: equal for all spellings. */
            key: string;
            /** Format: date-time */
            last_scraped_at?: string | null;
            name: string;
            /** Format: date-time */
            pending_since: string;
            /** @description `urgent`, `high`, `normal` or `low`. */
            priority: string;
            /** @description `pending`, `processing` or `completed`. */
            queue_status: string;
            /**
             * Format: int32
             * @description A role that may be the same.
             */
            suggested_role_id?: number | null;
            suggested_role_name?: string | null;
            /** Format: float */
            suggested_score?: number | null;
            /** Format: int64 */
            total_jobs_scraped: number;
            /** Format: date-time */
            updated_at: string;
        };
        RotateRequest: {
            /**
             * Format: date-time
             * @description Another end; the key keeps its own when left out.
             */
            expires_at?: string | null;
            /**
             * Format: int64
             * @description How long the present secret still opens, 0 to 720 hours; 24 when left out.
             */
            grace_hours?: number | null;
        };
        SavedCandidate: {
            candidate: components["schemas"]["CandidateView"];
            /** @description What each wish became. */
            normalised: components["schemas"]["Wanted"][];
        };
        /** @description A page to read. */
        ScrapeRequest: {
            /** @description https; told when the job has ended. */
            callback_url?: string | null;
            /** @description Let the browser load images, fonts and media as well. */
            images?: boolean | null;
            /**
             * Format: int64
             * @description Seconds. A page fetched within them for the same workspace is answered from storage.
             */
            max_age?: number | null;
            /**
             * Format: int64
             * @description 0 to 20: how often the page is scrolled to its end, for lists that grow. Needs a browser.
             */
            max_scrolls?: number | null;
            /** @description `auto` (a browser when the page needs one), `always` or `never`; left out, what the site's policy says. */
            render?: string | null;
            /** @description Only these fields of the result; all of them when left out. */
            requested_fields?: string[] | null;
            /** @description `linkedin_profile`, `company_website`, `job_posting` or `apartment`. */
            target_type: string;
            /** @description http or https, at most 2048 characters. */
            target_url: string;
            /** @description A CSS selector that must match before the page is read. Needs a browser. */
            wait_for_selector?: string | null;
            workspace_id: string;
        };
        ScraperStats: {
            /**
             * Format: double
             * @description Of completed sessions; null when there are none.
             */
            avg_duration_seconds?: number | null;
            /** Format: int64 */
            jobs_found: number;
            /** Format: int64 */
            jobs_imported: number;
            /** Format: int64 */
            jobs_skipped: number;
            /** Format: date-time */
            last_activity?: string | null;
            last_role?: string | null;
            /** Format: int32 */
            scraper_key_id: number;
            scraper_name: string;
            /** Format: int64 */
            session_count: number;
            /** Format: int64 */
            sessions_completed: number;
            /** Format: int64 */
            sessions_in_progress: number;
        };
        SessionPage: {
            next_cursor?: string | null;
            sessions: components["schemas"]["SessionView"][];
        };
        /** @description A session as the monitor shows it. */
        SessionView: {
            /** Format: date-time */
            completed_at?: string | null;
            /** Format: int32 */
            duration_seconds?: number | null;
            error_message?: string | null;
            /** Format: int64 */
            id: number;
            /** Format: int32 */
            jobs_found: number;
            /** Format: int32 */
            jobs_imported: number;
            /** Format: int32 */
            jobs_skipped: number;
            /**
             * Format: date-time
             * @description The last sign of life: the start, a heartbeat, jobs, or the end.
             */
            last_activity: string;
            /** Format: date-time */
            lease_expires_at: string;
            /** Format: int32 */
            role_id?: number | null;
            role_name: string;
            /** Format: int32 */
            scraper_key_id: number;
            scraper_name: string;
            /** Format: uuid */
            session_id: string;
            /** Format: date-time */
            started_at: string;
            /** @description `in_progress`, `completed`, `failed`, `timeout` or `released`. */
            status: string;
        };
        /** @description A field of a cluster, and whose word it is. */
        Shown: {
            /**
             * Format: uuid
             * @description The member that says it.
             */
            listing_id: string;
            /** @description How that member's page was read. */
            method?: string | null;
            source: string;
            standing: components["schemas"]["Standing"];
            value: unknown;
        };
        /** @description A key with its secret, which is never shown again. */
        ShownKey: {
            api_key: string;
            key: components["schemas"]["KeyView"];
        };
        /** @description A board that is read. */
        Source: {
            company?: string | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: int32
             * @description Reads in a row that were worth nothing.
             */
            failures: number;
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            last_complete_at?: string | null;
            /** Format: date-time */
            last_read_at?: string | null;
            /** Format: date-time */
            next_read_at?: string | null;
            /**
             * Format: int32
             * @description How often it is read; null is every six hours.
             */
            read_every_seconds?: number | null;
            /** @description `active`, `suspect`, `quarantined` or `disabled`. */
            status: string;
            /** @description Why it is not active. */
            status_reason?: string | null;
            /** Format: date-time */
            status_since?: string | null;
            /** @description The software behind the board. */
            system: string;
            /** @description The board's name there. */
            token: string;
            url: string;
        };
        /** @description What an operator may say of a source. */
        SourceChange: {
            /**
             * Format: int32
             * @description 60 to 2,592,000; 0 is the house's own pace.
             */
            read_every_seconds?: number | null;
            /** @description Why. */
            reason?: string | null;
            /** @description `active` (a quarantined one too, at once) or `disabled`. */
            status?: string | null;
        };
        SourcePage: {
            next_cursor?: string | null;
            sources: components["schemas"]["Source"][];
        };
        /** @description A source with its latest reads, the newest first. */
        SourceWithReads: components["schemas"]["Source"] & {
            reads: components["schemas"]["Read"][];
        };
        /** @description Which listing to part from which. */
        SplitRequest: {
            /** @description Members of its cluster; all of them when left out. */
            from?: string[];
            /** Format: uuid */
            listing_id: string;
            /** @description For whoever asks later; at most 1000 characters. */
            reason?: string | null;
        };
        SplitView: {
            /** Format: uuid */
            a: string;
            /** Format: date-time */
            at: string;
            /** Format: uuid */
            b: string;
            reason?: string | null;
        };
        /**
         * @description In the order of whom to believe.
         * @enum {string}
         */
        Standing: "aggregator" | "unknown" | "first_party";
        /**
         * @description How long one bar of the chart is. Days are those of UTC.
         * @enum {string}
         */
        Step: "hour" | "day";
        /** @description A page to read while the caller waits. */
        SyncScrapeRequest: {
            /** @description https; told when the job has ended. */
            callback_url?: string | null;
            /** @description Let the browser load images, fonts and media as well. */
            images?: boolean | null;
            /**
             * Format: int64
             * @description Seconds. A page fetched within them for the same workspace is answered from storage.
             */
            max_age?: number | null;
            /**
             * Format: int64
             * @description 0 to 20: how often the page is scrolled to its end, for lists that grow. Needs a browser.
             */
            max_scrolls?: number | null;
            /** @description `auto` (a browser when the page needs one), `always` or `never`; left out, what the site's policy says. */
            render?: string | null;
            /** @description Only these fields of the result; all of them when left out. */
            requested_fields?: string[] | null;
            /** @description `linkedin_profile`, `company_website`, `job_posting` or `apartment`. */
            target_type: string;
            /** @description http or https, at most 2048 characters. */
            target_url: string;
            /**
             * Format: int64
             * @description 5 to 120, default 60.
             */
            timeout_seconds?: number | null;
            /** @description A CSS selector that must match before the page is read. Needs a browser. */
            wait_for_selector?: string | null;
            workspace_id: string;
        };
        /** @description What was counted over many pages. */
        Tally: {
            /**
             * Format: int64
             * @description Pages of which some field is read differently.
             */
            differ: number;
            fields: {
                [key: string]: components["schemas"]["Fill"];
            };
            /** Format: int64 */
            pages: number;
            /** @description Verdicts that are others than before, as `before → after`. */
            verdicts: {
                [key: string]: number;
            };
        };
        /** @description A task as the scrape service shows it. */
        TaskView: {
            /** Format: date-time */
            completed_at?: string | null;
            /** Format: date-time */
            created_at: string;
            error?: string | null;
            /**
             * Format: uuid
             * @description The job it belongs to; a task that stands alone is its own.
             */
            job_id: string;
            /** Format: uuid */
            listing_id?: string | null;
            /** @description Only when completed. */
            result?: unknown;
            /** Format: date-time */
            started_at?: string | null;
            /** @description `queued`, `running`, `completed` or `failed`. */
            status: string;
            target_type: string;
            target_url: string;
            /** Format: uuid */
            task_id: string;
            workspace_id?: string | null;
        };
        Totals: {
            /** Format: double */
            avg_duration_seconds: number;
            /** Format: int64 */
            jobs_found: number;
            /** Format: int64 */
            jobs_imported: number;
            /** Format: int64 */
            total_sessions: number;
        };
        /**
         * @description What became of one field.
         * @enum {string}
         */
        Turn: "gained" | "lost" | "changed";
        /** @description A role in the queue. */
        Waiting: {
            /** Format: int32 */
            candidate_count: number;
            /** Format: int32 */
            id: number;
            /** Format: date-time */
            last_scraped_at?: string | null;
            name: string;
            /** Format: date-time */
            pending_since: string;
            priority: string;
            queue_status: string;
        };
        /** @description A role that somebody wants. */
        Wanted: {
            /** Format: int32 */
            id: number;
            /** @description How the title came to it: `key`, `alias`, `correction`, `model` or `new`. */
            method: string;
            name: string;
            title: string;
        };
        /** @description A delivery as an admin sees it. */
        WebhookDelivery: {
            /** Format: int32 */
            attempts: number;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: uuid
             * @description The receiver knows it as `webhook-id`.
             */
            id: string;
            /** Format: uuid */
            job_id: string;
            last_error?: string | null;
            /**
             * Format: int32
             * @description The receiver's last answer.
             */
            last_status?: number | null;
            /**
             * Format: date-time
             * @description When a pending one is tried next.
             */
            next_at: string;
            /**
             * Format: int64
             * @description The place in the list; older is smaller.
             */
            no: number;
            /** @description `pending`, `delivered`, `failed` or `stopped`. */
            status: string;
            /** Format: date-time */
            updated_at: string;
            url: string;
        };
        WebhookPage: {
            next_cursor?: string | null;
            webhooks: components["schemas"]["WebhookDelivery"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page for people */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_admin_clusters_split: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SplitRequest"];
            };
        };
        responses: {
            /** @description The cluster the listing is in now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClusterView"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Listing not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A field is wrong, or there is nobody to part it from */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_admin_clusters_unsplit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SplitRequest"];
            };
        };
        responses: {
            /** @description The cluster the listing is in now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClusterView"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Listing not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A field is wrong, or there is nothing to undo */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_admin_dead_letters: {
        parameters: {
            query?: {
                /** @description 1 to 100, default 50 */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of dead letters */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetterPage"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_api_admin_dead_letters_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Dead letter not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_admin_dead_letters_id_replay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description `sent` says whether there was anything left to do */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Dead letter not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_admin_policies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The book of policies, with its version as `ETag`; JSON if `Accept` asks for it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                    "application/yaml": Record<string, never>;
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_api_admin_policies: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the book that was edited */
                "If-Match"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The book in YAML, or in JSON by its content type */
        requestBody: {
            content: {
                "application/yaml": Record<string, never>;
            };
        };
        responses: {
            /** @description The book as it holds from now on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                    "application/yaml": Record<string, never>;
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The book has changed since `If-Match` */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Mistakes, each with its line, column and field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_admin_replay: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayRequest"];
            };
        };
        responses: {
            /** @description A piece of the replay; go on with `next` until it is null */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Piece"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A field is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_admin_role_decisions: {
        parameters: {
            query?: {
                /** @description 1 to 100, default 50 */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description Of this role only */
                role_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of decisions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DecisionPage"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_admin_role_decisions_id_correct: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CorrectionRequest"];
            };
        };
        responses: {
            /** @description The role that the title leads to now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleView"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Decision or role not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A field is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_admin_roles: {
        parameters: {
            query?: {
                /** @description 1 to 100, default 50 */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description `pending`, `processing` or `completed` */
                status?: "pending" | "processing" | "completed";
                /** @description A part of the name */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of roles */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RolePage"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_admin_roles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoleRequest"];
            };
        };
        responses: {
            /** @description There was one already */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleView"];
                };
            };
            /** @description The new role */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleView"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A field is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_admin_roles_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The role */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleView"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Role not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_admin_roles_id_merge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MergeRequest"];
            };
        };
        responses: {
            /** @description The role that stays */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleView"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Role not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Somebody is scraping the role that would go */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A field is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_admin_roles_id_priority: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PriorityRequest"];
            };
        };
        responses: {
            /** @description The role as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleView"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Role not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A field is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_admin_roles_id_requeue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The role as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleView"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Role not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_admin_scraper_keys: {
        parameters: {
            query?: {
                /** @description 1 to 100, default 100 */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys, without their secrets */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_admin_scraper_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyRequest"];
            };
        };
        responses: {
            /** @description The key with its secret, shown this once */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShownKey"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A field is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_admin_scraper_keys_id_expire: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExpiryRequest"];
            };
        };
        responses: {
            /** @description The key as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyView"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Key not found, or ended */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A field is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_admin_scraper_keys_id_revoke: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyView"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Key not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_admin_scraper_keys_id_rotate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        /** @description May be left out */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateRequest"] | null;
            };
        };
        responses: {
            /** @description The new secret, shown this once */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShownKey"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Key not found, or revoked */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A field is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_admin_sources: {
        parameters: {
            query?: {
                /** @description 1 to 100, default 50 */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sources */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourcePage"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_admin_sources: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSource"];
            };
        };
        responses: {
            /** @description It was there already */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Source"];
                };
            };
            /** @description The source */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Source"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No board is named, or none that can be read */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_admin_sources_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The source with its reads */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceWithReads"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Source not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patch_api_admin_sources_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SourceChange"];
            };
        };
        responses: {
            /** @description The source */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Source"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Source not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_admin_sources_id_scrape: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description `task_id` of the read; `started` says whether it is a new one */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Source not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_admin_webhooks: {
        parameters: {
            query?: {
                /** @description `pending`, `delivered`, `failed` or `stopped` */
                status?: "pending" | "delivered" | "failed" | "stopped";
                /** @description 1 to 100, default 50 */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of webhooks */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_admin_webhooks_id_replay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is on its way */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Webhook not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_candidates: {
        parameters: {
            query?: {
                /** @description 1 to 100, default 50 */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description Only those who want this role */
                role_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of candidates */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CandidatePage"];
                };
            };
            /** @description Invalid or missing service key or admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_candidates: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent again within a day, the same candidate is answered */
                "Idempotency-Key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CandidateRequest"];
            };
        };
        responses: {
            /** @description The candidate */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedCandidate"];
                };
            };
            /** @description Invalid or missing service key or admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A field is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_candidates_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The candidate */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CandidateView"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing service key or admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Candidate not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_api_candidates_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CandidateRequest"];
            };
        };
        responses: {
            /** @description The candidate as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedCandidate"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing service key or admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Candidate not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A field is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_api_candidates_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing service key or admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Candidate not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_candidates_id_matches: {
        parameters: {
            query?: {
                /** @description 1 to 100, default 50 */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description 0 to 100; 50 and above are kept at all */
                min_score?: number;
                /** @description Also jobs that are closed */
                include_closed?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of matches */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchPage"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing service key or admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Candidate not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_listings: {
        parameters: {
            query?: {
                /** @description 1 to 100, default 50 */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description Only open (true) or only closed (false) listings */
                active?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of listings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListingPage"];
                };
            };
            /** @description Invalid or missing service key or admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_listings_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The listing */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listing"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing service key or admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Listing not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_listings_id_cluster: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The cluster; a listing like no other is alone in its own */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClusterView"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing service key or admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Listing not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_listings_id_evidence: {
        parameters: {
            query?: {
                /** @description 1 to 100, default 50 */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The evidence */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvidencePage"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid or missing service key or admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Listing not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_scraper_monitoring_imports: {
        parameters: {
            query?: {
                /** @description How far back, 1 to 744; default 24 */
                hours?: number;
                /** @description `hour` or `day` (of UTC); hours up to 72 hours when left out */
                step?: "hour" | "day";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Figures, oldest first; steps without any are left out */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Imports"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_scraper_monitoring_queue: {
        parameters: {
            query?: {
                /** @description 1 to 100, default 50 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The queue */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleQueue"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_scraper_monitoring_sessions: {
        parameters: {
            query?: {
                /** @description Of this key only */
                scraper_key_id?: number;
                /** @description `in_progress`, `completed`, `failed`, `timeout` or `released` */
                status?: "in_progress" | "completed" | "failed" | "timeout" | "released";
                /** @description How far back, 1 to 744; default 24 */
                hours?: number;
                /** @description 1 to 100, default 100 */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionPage"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_scraper_monitoring_stats: {
        parameters: {
            query?: {
                /** @description How far back, 1 to 744; default 24 */
                hours?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Figures */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitoringStats"];
                };
            };
            /** @description Invalid or missing admin token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_scraper_queue_jobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PostedJobs"];
            };
        };
        responses: {
            /** @description What became of them. The same post sent again answers the same */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostAnswer"];
                };
            };
            /** @description session_id required, or the body is not JSON */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API key required, or invalid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Session not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The session has ended */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 4 MB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `jobs` is not a list of at most 1,000 */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_scraper_queue_next_role: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A role, and the session it is scraped in */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NextRole"];
                };
            };
            /** @description Queue empty */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description API key required, or invalid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_scraper_queue_sessions_session_id_fail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        /** @description Why; may be left out */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Ending"] | null;
            };
        };
        responses: {
            /** @description The role waits again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndedSession"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API key required, or invalid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Session not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The session has ended */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The reason is no text */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_scraper_queue_sessions_session_id_heartbeat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lease as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lease"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API key required, or invalid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Session not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The session has ended */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_scraper_queue_sessions_session_id_release: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        /** @description Why; may be left out */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Ending"] | null;
            };
        };
        responses: {
            /** @description The role waits again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndedSession"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API key required, or invalid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Session not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The session has ended */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The reason is no text */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_scraper_queue_stats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Roles by state, and the last day */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueStatistics"];
                };
            };
            /** @description API key required, or invalid or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_v1_scrape: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent again within a day, nothing is done twice */
                "Idempotency-Key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScrapeRequest"];
            };
        };
        responses: {
            /** @description Answered from storage; `meta.fetched_at` says when it was fetched */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope_TaskView"];
                };
            };
            /** @description Taken */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope_Accepted"];
                };
            };
            /** @description Invalid or missing service key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description A field is wrong, `meta.errors` says which; or the key was used for another request */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Task queue is full; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
        };
    };
    post_api_v1_scrape_batch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent again within a day, nothing is done twice */
                "Idempotency-Key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchScrapeRequest"];
            };
        };
        responses: {
            /** @description Taken */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope_JobAccepted"];
                };
            };
            /** @description Invalid or missing service key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description A field is wrong, `meta.errors` says which; or the key was used for another request */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Task queue is full; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
        };
    };
    get_api_v1_scrape_jobs_job_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description From the answer to the request */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope_JobView"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Invalid or missing service key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Job not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
        };
    };
    post_api_v1_scrape_jobs_job_id_cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description From the answer to the request */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job as it is now; one that was over stays as it was */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope_JobView"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Invalid or missing service key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Job not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
        };
    };
    get_api_v1_scrape_jobs_job_id_results: {
        parameters: {
            query?: {
                /** @description 1 to 100, default 100 */
                limit?: number;
                /** @description `meta.next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description From the answer to the request */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of results */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope_JobResults"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Invalid or missing service key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Job not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description A parameter is wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
        };
    };
    post_api_v1_scrape_sync: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent again within a day, the same task is waited for */
                "Idempotency-Key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SyncScrapeRequest"];
            };
        };
        responses: {
            /** @description The task has ended */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope_TaskView"];
                };
            };
            /** @description Invalid or missing service key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description A field is wrong, `meta.errors` says which; or the key was used for another request */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Too many requests; `Retry-After` says when */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Missing credentials for provider */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Task queue is full, the site's circuit is open, no browser or proxy is to be had */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Time is out; the task goes on, and `meta.task_id` is its id */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
        };
    };
    get_api_v1_scrape_task_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description From the answer to the request */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope_TaskView"];
                };
            };
            /** @description The path cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Invalid or missing service key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Task not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
        };
    };
    get_health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Alive */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The database does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
        };
    };
    get_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenMetrics, which Prometheus reads */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/openmetrics-text": unknown;
                };
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_openapi_json: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The API in OpenAPI 3.1 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not available for the moment; `Retry-After` says when */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_readiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not ready; the error says why */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeError"];
                };
            };
        };
    };
}

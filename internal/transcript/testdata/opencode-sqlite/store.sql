CREATE TABLE `session` (
          `id` text PRIMARY KEY,
          `project_id` text NOT NULL,
          `workspace_id` text,
          `parent_id` text,
          `slug` text NOT NULL,
          `directory` text NOT NULL,
          `path` text,
          `title` text NOT NULL,
          `version` text NOT NULL,
          `share_url` text,
          `summary_additions` integer,
          `summary_deletions` integer,
          `summary_files` integer,
          `summary_diffs` text,
          `metadata` text,
          `cost` real DEFAULT 0 NOT NULL,
          `tokens_input` integer DEFAULT 0 NOT NULL,
          `tokens_output` integer DEFAULT 0 NOT NULL,
          `tokens_reasoning` integer DEFAULT 0 NOT NULL,
          `tokens_cache_read` integer DEFAULT 0 NOT NULL,
          `tokens_cache_write` integer DEFAULT 0 NOT NULL,
          `revert` text,
          `permission` text,
          `agent` text,
          `model` text,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `time_compacting` integer,
          `time_archived` integer,
          CONSTRAINT `fk_session_project_id_project_id_fk` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE
        );
INSERT INTO session VALUES ('ses_dd10c957affe2KQe5fJMOYu9Ii', 'global', NULL, NULL, 'shiny-otter', '/home/dev/proj', 'tmp/dev/proj', 'Fake session title', '1.18.33', NULL, 0, 0, 0, NULL, NULL, 0, 36, 60, 0, 0, 0, NULL, NULL, 'build', '{"id":"fake-model","providerID":"fake"}', 1796084034182, 1796084042437, NULL, NULL);
CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO message VALUES ('msg_22ef37163001UakhjuoPIhn7py', 'ses_dd10c957affe2KQe5fJMOYu9Ii', 1796084035939, 1796084041449, '{"agent":"build","model":{"modelID":"fake-model","providerID":"fake"},"role":"user","summary":{"diffs":[]},"time":{"created":1796084035939}}');
INSERT INTO message VALUES ('msg_22ef371a8001UcLRvaF8wB2gQy', 'ses_dd10c957affe2KQe5fJMOYu9Ii', 1796084036008, 1796084041421, '{"agent":"build","cost":0,"finish":"stop","mode":"build","modelID":"fake-model","parentID":"msg_22ef37163001UakhjuoPIhn7py","path":{"cwd":"/home/dev/proj","root":"/"},"providerID":"fake","role":"assistant","time":{"completed":1796084041419,"created":1796084036008},"tokens":{"cache":{"read":0,"write":0},"input":12,"output":20,"reasoning":0,"total":32}}');
INSERT INTO message VALUES ('msg_22ef387c20019QYSqr5vyx9EL2', 'ses_dd10c957affe2KQe5fJMOYu9Ii', 1796084041666, 1796084042446, '{"agent":"build","model":{"modelID":"fake-model","providerID":"fake"},"role":"user","summary":{"diffs":[]},"time":{"created":1796084041666}}');
INSERT INTO message VALUES ('msg_22ef387d0001d2QxEd1Mhlqnw3', 'ses_dd10c957affe2KQe5fJMOYu9Ii', 1796084041680, 1796084042263, '{"agent":"build","cost":0,"finish":"tool-calls","mode":"build","modelID":"fake-model","parentID":"msg_22ef387c20019QYSqr5vyx9EL2","path":{"cwd":"/home/dev/proj","root":"/"},"providerID":"fake","role":"assistant","time":{"completed":1796084042262,"created":1796084041680},"tokens":{"cache":{"read":0,"write":0},"input":12,"output":20,"reasoning":0,"total":32}}');
INSERT INTO message VALUES ('msg_22ef38a1f001ytAncsHpWizpgX', 'ses_dd10c957affe2KQe5fJMOYu9Ii', 1796084042271, 1796084042427, '{"agent":"build","cost":0,"finish":"stop","mode":"build","modelID":"fake-model","parentID":"msg_22ef387c20019QYSqr5vyx9EL2","path":{"cwd":"/home/dev/proj","root":"/"},"providerID":"fake","role":"assistant","time":{"completed":1796084042426,"created":1796084042271},"tokens":{"cache":{"read":0,"write":0},"input":12,"output":20,"reasoning":0,"total":32}}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO part VALUES ('prt_22ef3716d001sqDJ0ZOdYTmzsU', 'msg_22ef37163001UakhjuoPIhn7py', 'ses_dd10c957affe2KQe5fJMOYu9Ii', 1796084035970, 1796084035971, '{"text":"say hello","type":"text"}');
INSERT INTO part VALUES ('prt_22ef38690001KXCQuNQ7GmrgWL', 'msg_22ef371a8001UcLRvaF8wB2gQy', 'ses_dd10c957affe2KQe5fJMOYu9Ii', 1796084041360, 1796084041364, '{"type":"step-start"}');
INSERT INTO part VALUES ('prt_22ef386a8001RCw005yew5zzzv', 'msg_22ef371a8001UcLRvaF8wB2gQy', 'ses_dd10c957affe2KQe5fJMOYu9Ii', 1796084041385, 1796084041405, '{"text":"Hello from the fake model. You said: say hello","time":{"end":1796084041403,"start":1796084041384},"type":"text"}');
INSERT INTO part VALUES ('prt_22ef386c1001cbiJWW3vQVayWF', 'msg_22ef371a8001UcLRvaF8wB2gQy', 'ses_dd10c957affe2KQe5fJMOYu9Ii', 1796084041409, 1796084041411, '{"cost":0,"reason":"stop","tokens":{"cache":{"read":0,"write":0},"input":12,"output":20,"reasoning":0,"total":32},"type":"step-finish"}');
INSERT INTO part VALUES ('prt_22ef387c3001TTkSle6aCxtBbI', 'msg_22ef387c20019QYSqr5vyx9EL2', 'ses_dd10c957affe2KQe5fJMOYu9Ii', 1796084041669, 1796084041670, '{"text":"please TOOL now","type":"text"}');
INSERT INTO part VALUES ('prt_22ef388910010J6PEZ3om1W9ky', 'msg_22ef387d0001d2QxEd1Mhlqnw3', 'ses_dd10c957affe2KQe5fJMOYu9Ii', 1796084041873, 1796084041874, '{"type":"step-start"}');
INSERT INTO part VALUES ('prt_22ef388930012zJnwKABp3V8i4', 'msg_22ef387d0001d2QxEd1Mhlqnw3', 'ses_dd10c957affe2KQe5fJMOYu9Ii', 1796084041875, 1796084041953, '{"text":"I will use bash now.","time":{"end":1796084041948,"start":1796084041875},"type":"text"}');
INSERT INTO part VALUES ('prt_22ef388a2001B0Va0WAwzyHCdA', 'msg_22ef387d0001d2QxEd1Mhlqnw3', 'ses_dd10c957affe2KQe5fJMOYu9Ii', 1796084041890, 1796084042246, '{"callID":"call_fake000004","state":{"input":{"command":"touch tool-ran.txt && echo tool-ran-ok"},"metadata":{"exit":0,"output":"tool-ran-ok\n","truncated":false},"output":"tool-ran-ok\n","status":"completed","time":{"end":1796084042245,"start":1796084041921},"title":"touch tool-ran.txt && echo tool-ran-ok"},"tool":"bash","type":"tool"}');
INSERT INTO part VALUES ('prt_22ef38a0d001nnbEKp0YZY2h1o', 'msg_22ef387d0001d2QxEd1Mhlqnw3', 'ses_dd10c957affe2KQe5fJMOYu9Ii', 1796084042253, 1796084042256, '{"cost":0,"reason":"tool-calls","tokens":{"cache":{"read":0,"write":0},"input":12,"output":20,"reasoning":0,"total":32},"type":"step-finish"}');
INSERT INTO part VALUES ('prt_22ef38a98001jeb8sscC5IHNKT', 'msg_22ef38a1f001ytAncsHpWizpgX', 'ses_dd10c957affe2KQe5fJMOYu9Ii', 1796084042392, 1796084042393, '{"type":"step-start"}');
INSERT INTO part VALUES ('prt_22ef38a9a001cODIZNj5Eu3AdV', 'msg_22ef38a1f001ytAncsHpWizpgX', 'ses_dd10c957affe2KQe5fJMOYu9Ii', 1796084042395, 1796084042407, '{"text":"The tool finished. Its result was: tool-ran-ok","time":{"end":1796084042406,"start":1796084042394},"type":"text"}');
INSERT INTO part VALUES ('prt_22ef38aa80018LeFHWSAydLRkf', 'msg_22ef38a1f001ytAncsHpWizpgX', 'ses_dd10c957affe2KQe5fJMOYu9Ii', 1796084042420, 1796084042421, '{"cost":0,"reason":"stop","tokens":{"cache":{"read":0,"write":0},"input":12,"output":20,"reasoning":0,"total":32},"type":"step-finish"}');

//! Every tool.

use memlith_verbs::{
    CheckoutArgs, CompactArgs, EraseArgs, ExplainArgs, FindProceduresArgs, ForgetArgs, HistoryArgs,
    ListArgs, LookAtReview, OutcomeArgs, ReceiptsArgs, RememberArgs, SearchArgs, StatArgs,
    TraceArgs, UpdateArgs,
};

use crate::fence::Text;
use crate::graph::{
    AddObservations, CreateEntities, CreateRelations, DeleteEntities, DeleteObservations,
    DeleteRelations, OpenNodes, ReadGraph, SearchNodes,
};
use crate::memory_tool::Command;
use crate::profile::{Offer, Profile};
use crate::tool::{Effect, Tool};

/// Tools that an agent needs.
const STANDARD: [Tool; 9] = [
    Tool::of::<CheckoutArgs>(
        "memory_checkout",
        (
            "Ask memory",
            "Answer a question from memory with what stands, within a budget, each line with its \
             citation. Use it before you answer from memory or ask the user again. What is shown \
             is written down, so that the answer can be checked later.",
        ),
        Effect::Adds,
        Text::Fenced,
    ),
    Tool::of::<RememberArgs>(
        "memory_remember",
        (
            "Remember",
            "Write a fact, decision or preference that later sessions need. It is compared with \
             what is remembered: said again it adds nothing, another value of the same takes the \
             old one's place or waits for a person. The result says what became of it; where its \
             `near` holds a memory that this one replaces, call memory_update with that id.",
        ),
        Effect::Adds,
        Text::Ours,
    ),
    Tool::of::<SearchArgs>(
        "memory_search",
        (
            "Look up",
            "Look words up in memory: the best matches, with citations. \
             Nothing is written and nothing is learned from it.",
        ),
        Effect::Reads,
        Text::Fenced,
    ),
    Tool::of::<ListArgs>(
        "memory_list",
        ("List memories", "List memories, records or sessions, the newest first, page by page."),
        Effect::Reads,
        Text::Stored,
    ),
    Tool::of::<UpdateArgs>(
        "memory_update",
        (
            "Correct",
            "Replace a memory that was wrong from its start, by its id. What is above your rank \
             stays, and the correction waits for a person.",
        ),
        Effect::Ends,
        Text::Ours,
    ),
    Tool::of::<ForgetArgs>(
        "memory_forget",
        (
            "Declare wrong",
            "Declare memories wrong or outdated: they are not shown any more, nor is what rests \
             on them. Nothing is erased, and it can be taken back. What is above your rank is \
             only marked as disputed.",
        ),
        Effect::Ends,
        Text::Ours,
    ),
    Tool::of::<OutcomeArgs>(
        "memory_outcome",
        (
            "Report an outcome",
            "Say whether an answer that rested on memories did what it was for. Verified success \
             confirms them, verified failure doubts them.",
        ),
        Effect::Adds,
        Text::Ours,
    ),
    Tool::of::<ExplainArgs>(
        "memory_explain",
        ("Explain", "Explain how strongly a memory competes, and which events made it so."),
        Effect::Reads,
        Text::Stored,
    ),
    Tool::of::<StatArgs>(
        "memory_status",
        ("Status of memory", "Count what memory holds, and say whether anything is wrong with it."),
        Effect::Reads,
        Text::Stored,
    ),
];

/// Tools that look closer and tidy up.
const MORE: [Tool; 6] = [
    Tool::of::<LookAtReview>(
        "memory_review",
        (
            "Look at what waits",
            "List or show what waits for review, or propose a memory made of others. To accept \
             and to reject is a person's.",
        ),
        Effect::Adds,
        Text::Stored,
    ),
    Tool::of::<HistoryArgs>(
        "memory_history",
        ("History", "Every record about a memory and what it replaced, the oldest first."),
        Effect::Reads,
        Text::Stored,
    ),
    Tool::of::<TraceArgs>(
        "memory_trace",
        ("Trace", "What a memory rests on, and what rests on it."),
        Effect::Reads,
        Text::Stored,
    ),
    Tool::of::<FindProceduresArgs>(
        "memory_procedures",
        (
            "Find procedures",
            "Find procedures that sessions repeated; with `dry_run` false they wait for review.",
        ),
        Effect::Adds,
        Text::Stored,
    ),
    Tool::of::<CompactArgs>(
        "memory_compact",
        (
            "Summarise",
            "Summarise finished sessions and old spans, with citations. No model is asked, and \
             nothing is removed.",
        ),
        Effect::Adds,
        Text::Stored,
    ),
    Tool::of::<ReceiptsArgs>(
        "memory_audit",
        ("Audit answers", "Run past answers again on the state they were made from, and compare."),
        Effect::Reads,
        Text::Stored,
    ),
];

/// Anthropic's memory tool.
const MEMORY: Tool = Tool::of_steps::<Command>(
    "memory",
    (
        "Memory folder",
        "Read and edit the files in /memories: view, create, str_replace, insert, delete, \
         rename. Every edit is kept as an event; deleting ends a file and erases nothing.",
    ),
    Effect::Ends,
    Text::Stored,
);

/// The tools of the reference memory server.
const GRAPH: [Tool; 9] = [
    Tool::of_steps::<CreateEntities>(
        "create_entities",
        ("Create Entities", "Create multiple new entities in the knowledge graph"),
        Effect::Adds,
        Text::Stored,
    ),
    Tool::of_steps::<CreateRelations>(
        "create_relations",
        (
            "Create Relations",
            "Create multiple new relations between entities in the knowledge graph. Relations \
             should be in active voice",
        ),
        Effect::Adds,
        Text::Stored,
    ),
    Tool::of_steps::<AddObservations>(
        "add_observations",
        ("Add Observations", "Add new observations to existing entities in the knowledge graph"),
        Effect::Adds,
        Text::Stored,
    ),
    Tool::of_steps::<DeleteEntities>(
        "delete_entities",
        (
            "Delete Entities",
            "Invalidate multiple entities and their associated relations in the knowledge graph",
        ),
        Effect::Ends,
        Text::Stored,
    ),
    Tool::of_steps::<DeleteObservations>(
        "delete_observations",
        (
            "Delete Observations",
            "Invalidate specific observations of entities in the knowledge graph",
        ),
        Effect::Ends,
        Text::Stored,
    ),
    Tool::of_steps::<DeleteRelations>(
        "delete_relations",
        ("Delete Relations", "Invalidate multiple relations in the knowledge graph"),
        Effect::Ends,
        Text::Stored,
    ),
    Tool::of_steps::<ReadGraph>(
        "read_graph",
        ("Read Graph", "Read the entire knowledge graph"),
        Effect::Reads,
        Text::Stored,
    ),
    Tool::of_steps::<SearchNodes>(
        "search_nodes",
        ("Search Nodes", "Search for nodes in the knowledge graph based on a query"),
        Effect::Reads,
        Text::Stored,
    ),
    Tool::of_steps::<OpenNodes>(
        "open_nodes",
        ("Open Nodes", "Open specific nodes in the knowledge graph by their names"),
        Effect::Reads,
        Text::Stored,
    ),
];

const ERASE: Tool = Tool::of::<EraseArgs>(
    "memory_erase",
    (
        "Erase for good",
        "Erase the words of memories for good, with all that rests on them. It can't be taken \
         back; to declare something wrong is `memory_forget`.",
    ),
    Effect::Erases,
    Text::Stored,
);

/// The tools of a server, in the order in which they are listed.
pub(crate) fn tools(offer: Offer) -> Vec<Tool> {
    let mut tools = match offer.profile {
        Profile::Standard => STANDARD.to_vec(),
        Profile::Full => [&STANDARD[..], &MORE].concat(),
        Profile::MemoryTool => vec![MEMORY],
        Profile::Graph => GRAPH.to_vec(),
    };
    if offer.may_erase {
        tools.push(ERASE);
    }
    tools
}
